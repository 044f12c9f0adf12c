// The samples of this folder. Made by scripts/embed-samples; not to be edited by hand.

enum JokesSampleFiles {
    static let chucknorris: StaticString = #"""
        {
          "categories": ["animal", "dev", "explicit", "food"],
          "jokes": [
            {
              "categories": ["dev"], "created_at": "2020-01-11 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "ObcLkSEC7mnzfdciIxV4-w",
              "updated_at": "2020-01-11 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/ObcLkSEC7mnzfdciIxV4-w",
              "value": "Chuck Norris does not start a daemon. It was running already, and waits for him."
            },
            {
              "categories": [], "created_at": "2020-01-12 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "fz4gWalkZ6-xCVr63abO4Q",
              "updated_at": "2020-01-12 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/fz4gWalkZ6-xCVr63abO4Q",
              "value": "Chuck Norris needs no cache: nothing dares to expire."
            },
            {
              "categories": [], "created_at": "2020-01-13 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "d0M1t-JQQOb_ZpCyS6KjdQ",
              "updated_at": "2020-01-13 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/d0M1t-JQQOb_ZpCyS6KjdQ",
              "value": "When Chuck Norris asks for a random joke, the joke looks for cover."
            },
            {
              "categories": ["dev"], "created_at": "2020-01-14 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "Cg3O_lXyEZdnjF_u5q9ATw",
              "updated_at": "2020-01-14 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/Cg3O_lXyEZdnjF_u5q9ATw",
              "value": "Chuck Norris reads /dev/null, and it answers."
            },
            {
              "categories": ["animal"], "created_at": "2020-01-15 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "NssuwrHqvsb2IhFluUdTXQ",
              "updated_at": "2020-01-15 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/NssuwrHqvsb2IhFluUdTXQ",
              "value": "The tarrasque checks under its bed for Chuck Norris & his boots."
            },
            {
              "categories": [], "created_at": "2020-01-16 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "Oh_0jxAn8ayiM09pLhDKBg",
              "updated_at": "2020-01-16 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/Oh_0jxAn8ayiM09pLhDKBg",
              "value": "Chuck Norris once waited for a timeout. The timeout gave up."
            },
            {
              "categories": ["dev"], "created_at": "2020-01-17 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "CZNCXVj12T4FSY6E-d3iqQ",
              "updated_at": "2020-01-17 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/CZNCXVj12T4FSY6E-d3iqQ",
              "value": "Servers answer Chuck Norris 200 \"Yes, sir\"."
            },
            {
              "categories": ["animal"], "created_at": "2020-01-18 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "J9EXlqyqoRa-t0EQyleS9g",
              "updated_at": "2020-01-18 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/J9EXlqyqoRa-t0EQyleS9g",
              "value": "Chuck Norris can roll a twenty on a die with six sides."
            },
            {
              "categories": [], "created_at": "2020-01-19 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "LzZWC9MeiN_S3g7loy2fhQ",
              "updated_at": "2020-01-19 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/LzZWC9MeiN_S3g7loy2fhQ",
              "value": "A stale answer becomes fresh when Chuck Norris looks at it."
            },
            {
              "categories": ["dev"], "created_at": "2020-01-20 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "XjnsH6f-knjQSvUXfBRrrA",
              "updated_at": "2020-01-20 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/XjnsH6f-knjQSvUXfBRrrA",
              "value": "Chuck Norris never retries. The network apologises the first time."
            },
            {
              "categories": [], "created_at": "2020-01-21 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "IibrbT2uu-qoKg7RA5-Oog",
              "updated_at": "2020-01-21 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/IibrbT2uu-qoKg7RA5-Oog",
              "value": "Octopuses have eight arms since Chuck Norris left them those."
            },
            {
              "categories": [], "created_at": "2020-01-22 13:42:24.696555",
              "icon_url": "https://api.chucknorris.io/img/avatar/chuck-norris.png", "id": "MdNQEp62SzsxKKrB0YBiLw",
              "updated_at": "2020-01-22 13:42:24.696555", "url": "https://api.chucknorris.io/jokes/MdNQEp62SzsxKKrB0YBiLw",
              "value": "Chuck Norris divides by zero, and keeps the rest."
            }
          ]
        }
        """#
    static let icndb: StaticString = #"""
        {
          "categories": ["explicit", "nerdy"],
          "jokes": [
            {
              "id": 1, "joke": "Chuck Norris does not start a daemon. It was running already, and waits for him.",
              "categories": ["nerdy"]
            },
            {"id": 2, "joke": "Chuck Norris needs no cache: nothing dares to expire.", "categories": []},
            {"id": 3, "joke": "When Chuck Norris asks for a random joke, the joke looks for cover.", "categories": []},
            {"id": 4, "joke": "Chuck Norris reads /dev/null, and it answers.", "categories": ["nerdy"]},
            {"id": 5, "joke": "The tarrasque checks under its bed for Chuck Norris &amp; his boots.", "categories": []},
            {"id": 6, "joke": "Chuck Norris once waited for a timeout. The timeout gave up.", "categories": []},
            {"id": 7, "joke": "Servers answer Chuck Norris 200 &quot;Yes, sir&quot;.", "categories": ["nerdy"]},
            {"id": 8, "joke": "Chuck Norris can roll a twenty on a die with six sides.", "categories": []},
            {"id": 9, "joke": "A stale answer becomes fresh when Chuck Norris looks at it.", "categories": []},
            {"id": 10, "joke": "Chuck Norris never retries. The network apologises the first time.", "categories": ["nerdy"]},
            {"id": 11, "joke": "Octopuses have eight arms since Chuck Norris left them those.", "categories": []},
            {"id": 12, "joke": "Chuck Norris divides by zero, and keeps the rest.", "categories": []}
          ]
        }
        """#
}
