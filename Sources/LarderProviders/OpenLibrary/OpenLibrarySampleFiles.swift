// The samples of this folder. Made by scripts/embed-samples; not to be edited by hand.

enum OpenLibrarySampleFiles {
    static let works: StaticString = #"""
        [
          {
            "key": "/works/OL1001W", "title": "The Lantern Keepers", "author_name": ["Ines Brandt"],
            "author_key": ["OL2001A"], "first_publish_year": 1931, "edition_count": 7, "cover_i": 4001, "language": ["eng", "ger"],
            "description": "A lighthouse is kept by two sisters who do not speak.", "subject": ["Lighthouses", "Sisters", "Fiction"]
          },
          {
            "key": "/works/OL1002W", "title": "Lanterns and how to fold them", "author_name": ["T. Foldwell", "A. Crease"],
            "author_key": ["OL2002A", "OL2003A"], "first_publish_year": 2004, "edition_count": 1, "language": ["eng"],
            "description": {"type": "/type/text", "value": "Forty patterns.\r\n\r\nNo scissors."}, "subject": ["Paper work"]
          },
          {
            "key": "/works/OL1003W", "title": "The octopus in the library", "author_name": ["Max Muster"], "author_key": ["OL2004A"],
            "first_publish_year": 1987, "edition_count": 3, "cover_i": 4003, "subject": ["Octopuses", "Libraries"]
          },
          {
            "key": "/works/OL1004W", "title": "Caches of the world", "author_key": ["OL2005A"], "edition_count": 2, "cover_i": 4004,
            "language": ["eng"], "subject": ["Treasure troves"]
          }
        ]
        """#
}
