// Files that the program carries in it: the console's, the samples', covers and two tables. `#embed` (C23, 6.10.4) reads them when this file
// is compiled, and the compiler tells the build which files it read. `make lint` checks that no file is left out.
#include "embedded.h"

#include <string.h>

static const char console_answer_js[] = {
#embed "../LarderConsole/Files/answer.js"
};
static const char console_ask_js[] = {
#embed "../LarderConsole/Files/ask.js"
};
static const char console_connection_js[] = {
#embed "../LarderConsole/Files/connection.js"
};
static const char console_console_css[] = {
#embed "../LarderConsole/Files/console.css"
};
static const char console_dialog_js[] = {
#embed "../LarderConsole/Files/dialog.js"
};
static const char console_dom_js[] = {
#embed "../LarderConsole/Files/dom.js"
};
static const char console_explanation_js[] = {
#embed "../LarderConsole/Files/explanation.js"
};
static const char console_format_js[] = {
#embed "../LarderConsole/Files/format.js"
};
static const char console_glossary_js[] = {
#embed "../LarderConsole/Files/glossary.js"
};
static const char console_titles_js[] = {
#embed "../LarderConsole/Files/titles.js"
};
static const char console_kept_js[] = {
#embed "../LarderConsole/Files/kept.js"
};
static const char console_keys_js[] = {
#embed "../LarderConsole/Files/keys.js"
};
static const char console_larder_svg[] = {
#embed "../LarderConsole/Files/larder.svg"
};
static const char console_now_js[] = {
#embed "../LarderConsole/Files/now.js"
};
static const char console_over_time_js[] = {
#embed "../LarderConsole/Files/over-time.js"
};
static const char console_page_js[] = {
#embed "../LarderConsole/Files/page.js"
};
static const char console_plot_js[] = {
#embed "../LarderConsole/Files/plot.js"
};
static const char console_providers_js[] = {
#embed "../LarderConsole/Files/providers.js"
};
static const char console_question_js[] = {
#embed "../LarderConsole/Files/question.js"
};
static const char console_result_js[] = {
#embed "../LarderConsole/Files/result.js"
};
static const char console_search_js[] = {
#embed "../LarderConsole/Files/search.js"
};
static const char console_start_js[] = {
#embed "../LarderConsole/Files/start.js"
};
static const char console_store_js[] = {
#embed "../LarderConsole/Files/store.js"
};
static const char console_stream_js[] = {
#embed "../LarderConsole/Files/stream.js"
};
static const char console_terms_js[] = {
#embed "../LarderConsole/Files/terms.js"
};
static const char console_token_js[] = {
#embed "../LarderConsole/Files/token.js"
};
static const char cover_1_jpg[] = {
#embed "../LarderOrigin/Files/cover-1.jpg"
};
static const char cover_1_png[] = {
#embed "../LarderOrigin/Files/cover-1.png"
};
static const char cover_2_jpg[] = {
#embed "../LarderOrigin/Files/cover-2.jpg"
};
static const char cover_2_png[] = {
#embed "../LarderOrigin/Files/cover-2.png"
};
static const char cover_3_jpg[] = {
#embed "../LarderOrigin/Files/cover-3.jpg"
};
static const char cover_3_png[] = {
#embed "../LarderOrigin/Files/cover-3.png"
};
static const char cover_4_jpg[] = {
#embed "../LarderOrigin/Files/cover-4.jpg"
};
static const char cover_4_png[] = {
#embed "../LarderOrigin/Files/cover-4.png"
};
static const char cover_5_jpg[] = {
#embed "../LarderOrigin/Files/cover-5.jpg"
};
static const char cover_5_png[] = {
#embed "../LarderOrigin/Files/cover-5.png"
};
static const char cover_6_jpg[] = {
#embed "../LarderOrigin/Files/cover-6.jpg"
};
static const char cover_6_png[] = {
#embed "../LarderOrigin/Files/cover-6.png"
};
static const char DnD_dnd5e[] = {
#embed "../LarderProviders/DnD/Samples/dnd5e.json"
};
static const char DnD_equipment[] = {
#embed "../LarderProviders/DnD/Samples/equipment.json"
};
static const char DnD_monsters[] = {
#embed "../LarderProviders/DnD/Samples/monsters.json"
};
static const char DnD_others[] = {
#embed "../LarderProviders/DnD/Samples/others.json"
};
static const char DnD_spells[] = {
#embed "../LarderProviders/DnD/Samples/spells.json"
};
static const char HackerNews_hackernews[] = {
#embed "../LarderProviders/HackerNews/Samples/hackernews.json"
};
static const char HackerNews_hits[] = {
#embed "../LarderProviders/HackerNews/Samples/hits.json"
};
static const char HackerNews_items[] = {
#embed "../LarderProviders/HackerNews/Samples/items.json"
};
static const char HackerNews_lists[] = {
#embed "../LarderProviders/HackerNews/Samples/lists.json"
};
static const char HackerNews_users[] = {
#embed "../LarderProviders/HackerNews/Samples/users.json"
};
static const char ITunes_items[] = {
#embed "../LarderProviders/ITunes/Samples/items.json"
};
static const char ITunes_itunes[] = {
#embed "../LarderProviders/ITunes/Samples/itunes.json"
};
static const char Imgur_albums[] = {
#embed "../LarderProviders/Imgur/Samples/albums.json"
};
static const char Imgur_gallery[] = {
#embed "../LarderProviders/Imgur/Samples/gallery.json"
};
static const char Imgur_imgur[] = {
#embed "../LarderProviders/Imgur/Samples/imgur.json"
};
static const char Imgur_tags[] = {
#embed "../LarderProviders/Imgur/Samples/tags.json"
};
static const char Jokes_chucknorris[] = {
#embed "../LarderProviders/Jokes/Samples/chucknorris.json"
};
static const char Jokes_icndb[] = {
#embed "../LarderProviders/Jokes/Samples/icndb.json"
};
static const char NewsAPI_articles[] = {
#embed "../LarderProviders/NewsAPI/Samples/articles.json"
};
static const char NewsAPI_newsapi[] = {
#embed "../LarderProviders/NewsAPI/Samples/newsapi.json"
};
static const char NewsAPI_sources[] = {
#embed "../LarderProviders/NewsAPI/Samples/sources.json"
};
static const char OpenLibrary_openlibrary[] = {
#embed "../LarderProviders/OpenLibrary/Samples/openlibrary.json"
};
static const char OpenLibrary_works[] = {
#embed "../LarderProviders/OpenLibrary/Samples/works.json"
};
static const char TMDb_configuration[] = {
#embed "../LarderProviders/TMDb/Samples/configuration.json"
};
static const char TMDb_movie[] = {
#embed "../LarderProviders/TMDb/Samples/movie.json"
};
static const char TMDb_person[] = {
#embed "../LarderProviders/TMDb/Samples/person.json"
};
static const char TMDb_tmdb[] = {
#embed "../LarderProviders/TMDb/Samples/tmdb.json"
};
static const char TMDb_tv[] = {
#embed "../LarderProviders/TMDb/Samples/tv.json"
};
static const char TVmaze_episodes[] = {
#embed "../LarderProviders/TVmaze/Samples/episodes.json"
};
static const char TVmaze_search[] = {
#embed "../LarderProviders/TVmaze/Samples/search.json"
};
static const char TVmaze_tvmaze[] = {
#embed "../LarderProviders/TVmaze/Samples/tvmaze.json"
};
static const char NameOrder[] = {
#embed "../LarderProviders/Results/NameOrder.table"
};
static const char CharacterReferences[] = {
#embed "../LarderProviders/Text/CharacterReferences.txt"
};

#define FILE(path, array) {path, array, sizeof array}

static const struct {
    const char *path;
    const char *text;
    size_t count;
} files[] = {
    FILE("LarderConsole/Files/answer.js", console_answer_js),
    FILE("LarderConsole/Files/ask.js", console_ask_js),
    FILE("LarderConsole/Files/connection.js", console_connection_js),
    FILE("LarderConsole/Files/console.css", console_console_css),
    FILE("LarderConsole/Files/dialog.js", console_dialog_js),
    FILE("LarderConsole/Files/dom.js", console_dom_js),
    FILE("LarderConsole/Files/explanation.js", console_explanation_js),
    FILE("LarderConsole/Files/format.js", console_format_js),
    FILE("LarderConsole/Files/glossary.js", console_glossary_js),
    FILE("LarderConsole/Files/kept.js", console_kept_js),
    FILE("LarderConsole/Files/titles.js", console_titles_js),
    FILE("LarderConsole/Files/keys.js", console_keys_js),
    FILE("LarderConsole/Files/larder.svg", console_larder_svg),
    FILE("LarderConsole/Files/now.js", console_now_js),
    FILE("LarderConsole/Files/over-time.js", console_over_time_js),
    FILE("LarderConsole/Files/page.js", console_page_js),
    FILE("LarderConsole/Files/plot.js", console_plot_js),
    FILE("LarderConsole/Files/providers.js", console_providers_js),
    FILE("LarderConsole/Files/question.js", console_question_js),
    FILE("LarderConsole/Files/result.js", console_result_js),
    FILE("LarderConsole/Files/search.js", console_search_js),
    FILE("LarderConsole/Files/start.js", console_start_js),
    FILE("LarderConsole/Files/store.js", console_store_js),
    FILE("LarderConsole/Files/stream.js", console_stream_js),
    FILE("LarderConsole/Files/terms.js", console_terms_js),
    FILE("LarderConsole/Files/token.js", console_token_js),
    FILE("LarderOrigin/Files/cover-1.jpg", cover_1_jpg),
    FILE("LarderOrigin/Files/cover-1.png", cover_1_png),
    FILE("LarderOrigin/Files/cover-2.jpg", cover_2_jpg),
    FILE("LarderOrigin/Files/cover-2.png", cover_2_png),
    FILE("LarderOrigin/Files/cover-3.jpg", cover_3_jpg),
    FILE("LarderOrigin/Files/cover-3.png", cover_3_png),
    FILE("LarderOrigin/Files/cover-4.jpg", cover_4_jpg),
    FILE("LarderOrigin/Files/cover-4.png", cover_4_png),
    FILE("LarderOrigin/Files/cover-5.jpg", cover_5_jpg),
    FILE("LarderOrigin/Files/cover-5.png", cover_5_png),
    FILE("LarderOrigin/Files/cover-6.jpg", cover_6_jpg),
    FILE("LarderOrigin/Files/cover-6.png", cover_6_png),
    FILE("LarderProviders/DnD/Samples/dnd5e.json", DnD_dnd5e),
    FILE("LarderProviders/DnD/Samples/equipment.json", DnD_equipment),
    FILE("LarderProviders/DnD/Samples/monsters.json", DnD_monsters),
    FILE("LarderProviders/DnD/Samples/others.json", DnD_others),
    FILE("LarderProviders/DnD/Samples/spells.json", DnD_spells),
    FILE("LarderProviders/HackerNews/Samples/hackernews.json", HackerNews_hackernews),
    FILE("LarderProviders/HackerNews/Samples/hits.json", HackerNews_hits),
    FILE("LarderProviders/HackerNews/Samples/items.json", HackerNews_items),
    FILE("LarderProviders/HackerNews/Samples/lists.json", HackerNews_lists),
    FILE("LarderProviders/HackerNews/Samples/users.json", HackerNews_users),
    FILE("LarderProviders/ITunes/Samples/items.json", ITunes_items),
    FILE("LarderProviders/ITunes/Samples/itunes.json", ITunes_itunes),
    FILE("LarderProviders/Imgur/Samples/albums.json", Imgur_albums),
    FILE("LarderProviders/Imgur/Samples/gallery.json", Imgur_gallery),
    FILE("LarderProviders/Imgur/Samples/imgur.json", Imgur_imgur),
    FILE("LarderProviders/Imgur/Samples/tags.json", Imgur_tags),
    FILE("LarderProviders/Jokes/Samples/chucknorris.json", Jokes_chucknorris),
    FILE("LarderProviders/Jokes/Samples/icndb.json", Jokes_icndb),
    FILE("LarderProviders/NewsAPI/Samples/articles.json", NewsAPI_articles),
    FILE("LarderProviders/NewsAPI/Samples/newsapi.json", NewsAPI_newsapi),
    FILE("LarderProviders/NewsAPI/Samples/sources.json", NewsAPI_sources),
    FILE("LarderProviders/OpenLibrary/Samples/openlibrary.json", OpenLibrary_openlibrary),
    FILE("LarderProviders/OpenLibrary/Samples/works.json", OpenLibrary_works),
    FILE("LarderProviders/TMDb/Samples/configuration.json", TMDb_configuration),
    FILE("LarderProviders/TMDb/Samples/movie.json", TMDb_movie),
    FILE("LarderProviders/TMDb/Samples/person.json", TMDb_person),
    FILE("LarderProviders/TMDb/Samples/tmdb.json", TMDb_tmdb),
    FILE("LarderProviders/TMDb/Samples/tv.json", TMDb_tv),
    FILE("LarderProviders/TVmaze/Samples/episodes.json", TVmaze_episodes),
    FILE("LarderProviders/TVmaze/Samples/search.json", TVmaze_search),
    FILE("LarderProviders/TVmaze/Samples/tvmaze.json", TVmaze_tvmaze),
    FILE("LarderProviders/Results/NameOrder.table", NameOrder),
    FILE("LarderProviders/Text/CharacterReferences.txt", CharacterReferences),
};

const char *larder_embedded(const char *path, size_t *count) {
    for (size_t index = 0; index < sizeof files / sizeof files[0]; index++) {
        if (strcmp(files[index].path, path) != 0) continue;
        *count = files[index].count;
        return files[index].text;
    }
    *count = 0;
    return NULL;
}

const char *larder_embedded_path(size_t index) {
    return index < sizeof files / sizeof files[0] ? files[index].path : NULL;
}
