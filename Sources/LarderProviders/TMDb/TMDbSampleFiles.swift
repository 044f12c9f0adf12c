// The samples of this folder. Made by scripts/embed-samples; not to be edited by hand.

enum TMDbSampleFiles {
    static let configuration: StaticString = #"""
        {
          "images": {
            "base_url": "http://image.tmdb.org/t/p/", "secure_base_url": "https://image.tmdb.org/t/p/",
            "backdrop_sizes": ["w300", "w780", "w1280", "original"],
            "logo_sizes": ["w45", "w92", "w154", "w185", "w300", "w500", "original"],
            "poster_sizes": ["w92", "w154", "w185", "w342", "w500", "w780", "original"],
            "profile_sizes": ["w45", "w185", "h632", "original"], "still_sizes": ["w92", "w185", "w300", "original"]
          },
          "change_keys": ["adult", "title"]
        }
        """#
    static let movies: StaticString = #"""
        [
          {
            "adult": false, "backdrop_path": "/film-101-wide.jpg", "id": 101, "title": "The Lantern Keeper",
            "original_title": "The Lantern Keeper", "original_language": "en",
            "overview": "A lighthouse goes dark, and someone is glad of it.", "poster_path": "/film-101.jpg",
            "release_date": "2019-10-04", "popularity": 3.5, "vote_average": 7.4, "vote_count": 812, "genre_ids": [18, 9648],
            "genres": [{"id": 18, "name": "Drama"}, {"id": 9648, "name": "Mystery"}], "runtime": 104, "homepage": null,
            "tagline": "", "status": "Released",
            "credits": {
              "cast": [{"id": 301, "name": "Ines Lantern", "character": "Keeper"}],
              "crew": [{"id": 302, "name": "Tomasz Brandt", "job": "Director"}]
            }
          },
          {
            "adult": false, "backdrop_path": null, "id": 102, "title": "Lanterns over Oslo", "original_title": "Lykter over Oslo",
            "original_language": "no", "overview": "Two strangers follow a power cut through a city in winter.",
            "poster_path": "/film-102.jpg", "release_date": "2022-02-11", "popularity": 4.5, "vote_average": 6.8, "vote_count": 233,
            "genre_ids": [35, 10749], "genres": [{"id": 35, "name": "Comedy"}, {"id": 10749, "name": "Romance"}], "runtime": 97,
            "homepage": null, "tagline": "", "status": "Released", "credits": {"cast": [], "crew": []}
          },
          {
            "adult": false, "backdrop_path": "/film-103-wide.jpg", "id": 103, "title": "A Cache of Gold",
            "original_title": "A Cache of Gold", "original_language": "en",
            "overview": "Four librarians plan the quietest robbery of all time.", "poster_path": "/film-103.jpg",
            "release_date": "2024-06-21", "popularity": 5.5, "vote_average": 7.9, "vote_count": 2041, "genre_ids": [28, 80],
            "genres": [{"id": 28, "name": "Action"}, {"id": 80, "name": "Crime"}], "runtime": 121, "homepage": null, "tagline": "",
            "status": "Released", "credits": {"cast": [], "crew": [{"id": 302, "name": "Tomasz Brandt", "job": "Director"}]}
          },
          {
            "adult": false, "backdrop_path": null, "id": 104, "title": "Stale While Revalidating",
            "original_title": "Stale While Revalidating", "original_language": "en",
            "overview": "An old couple renews its vows, step by step.", "poster_path": null, "release_date": "", "popularity": 6.5,
            "vote_average": 0, "vote_count": 0, "genre_ids": [18], "genres": [{"id": 18, "name": "Drama"}], "runtime": 88,
            "homepage": null, "tagline": "", "status": "In Production", "credits": {"cast": [], "crew": []}
          }
        ]
        """#
    static let people: StaticString = #"""
        [
          {
            "adult": false, "id": 301, "name": "Ines Lantern", "original_name": "Ines Lantern",
            "biography": "Ines Lantern is known to this stand-in alone.", "known_for_department": "Acting",
            "profile_path": "/person-301.jpg", "deathday": null, "popularity": 2.25
          },
          {
            "adult": false, "id": 302, "name": "Tomasz Brandt", "original_name": "Tomasz Brandt",
            "biography": "Tomasz Brandt is known to this stand-in alone.", "known_for_department": "Directing",
            "profile_path": "/person-302.jpg", "deathday": null, "popularity": 2.25
          }
        ]
        """#
    static let series: StaticString = #"""
        [
          {
            "adult": false, "backdrop_path": "/film-201-wide.jpg", "id": 201, "name": "The Lantern Room",
            "original_name": "The Lantern Room", "original_language": "en",
            "overview": "A museum at night, one exhibit an episode.", "poster_path": "/film-201.jpg",
            "first_air_date": "2021-09-03", "popularity": 5.5, "vote_average": 8.1, "vote_count": 640, "genre_ids": [9648],
            "genres": [{"id": 9648, "name": "Mystery"}], "runtime": 48, "homepage": null, "tagline": "", "status": "Released",
            "credits": {"cast": [{"id": 301, "name": "Ines Lantern", "character": "Keeper"}], "crew": []}
          },
          {
            "adult": false, "backdrop_path": null, "id": 202, "name": "Upstream", "original_name": "Upstream",
            "original_language": "en", "overview": "A family of otters and a dam that was not there before.",
            "poster_path": "/film-202.jpg", "first_air_date": "2023-01-15", "popularity": 6.5, "vote_average": 7.2,
            "vote_count": 118, "genre_ids": [10762], "genres": [{"id": 10762, "name": "Kids"}], "runtime": 12, "homepage": null,
            "tagline": "", "status": "Released", "credits": {"cast": [], "crew": []}
          }
        ]
        """#
}
