// The samples of this folder. Made by scripts/embed-samples; not to be edited by hand.

enum NewsAPISampleFiles {
    static let articles: StaticString = #"""
        [
          {
            "source": {"id": "sample-tech", "name": "Sample Tech"}, "author": "Ada Example",
            "title": "A cache on every desk: why local daemons are back",
            "description": "Programs that share one cache ask the network less, and answer when it is gone.",
            "url": "https://news.example.com/tech/local-cache", "urlToImage": "https://images.example.com/cache.jpg",
            "publishedAt": "2026-11-20T08:15:00Z",
            "content": "Programs that share one cache ask the network less, and answer when it is gone.\r\nMore of it follows… [+1834 chars]",
            "category": "technology"
          },
          {
            "source": {"id": "sample-tech", "name": "Sample Tech"}, "author": null,
            "title": "Swift 6 on small servers: a year of Linux",
            "description": "What a language without data races changes for people who run servers &amp; sleep at night.",
            "url": "https://news.example.com/tech/swift-linux", "urlToImage": "https://images.example.com/swift.png",
            "publishedAt": "2026-11-19T17:40:00Z",
            "content": "What a language without data races changes for people who run servers &amp; sleep at night.\r\nMore of it follows… [+1834 chars]",
            "category": "technology"
          },
          {
            "source": {"id": "sample-science", "name": "Sample Science"}, "author": "Grace Example, Max Muster",
            "title": "Octopus seen sorting shells by size",
            "description": "Divers filmed the animal for nine hours. <em>It was not hungry.</em>",
            "url": "https://news.example.com/science/octopus", "urlToImage": "https://images.example.com/octopus.jpg",
            "publishedAt": "2026-11-19T06:05:00Z",
            "content": "Divers filmed the animal for nine hours. <em>It was not hungry.</em>\r\nMore of it follows… [+1834 chars]",
            "category": "science"
          },
          {
            "source": {"id": null, "name": "Example Wire"}, "author": "", "title": "Markets close level after a quiet day",
            "description": null, "url": "https://news.example.com/business/markets", "urlToImage": null,
            "publishedAt": "2026-11-18T21:30:00Z", "content": null, "category": "business"
          },
          {
            "source": {"id": null, "name": "[Removed]"}, "author": null, "title": "[Removed]", "description": "[Removed]",
            "url": "https://removed.com", "urlToImage": null, "publishedAt": "1970-01-01T00:00:00Z",
            "content": "[Removed]\r\nMore of it follows… [+1834 chars]", "category": "business"
          },
          {
            "source": {"id": "morning-sample", "name": "The Morning Sample"}, "author": "https://news.example.com/authors/muster",
            "title": "City opens a library that lends tools", "description": "Drills and ladders may be kept for three weeks.",
            "url": "https://news.example.com/general/library", "urlToImage": "https://images.example.com/missing-library.jpg",
            "publishedAt": "2026-11-18T09:00:00Z",
            "content": "Drills and ladders may be kept for three weeks.\r\nMore of it follows… [+1834 chars]",
            "category": "general"
          },
          {
            "source": {"id": "sample-sports", "name": "Sample Sports"}, "author": "Jo Example",
            "title": "Underdogs win on penalties — again", "description": "The third time this season.",
            "url": "https://news.example.com/sports/penalties", "urlToImage": "https://images.example.com/penalties.jpg",
            "publishedAt": "2026-11-17T22:10:00Z", "content": "The third time this season.\r\nMore of it follows… [+1834 chars]",
            "category": "sports"
          }
        ]
        """#
    static let sources: StaticString = #"""
        [
          {
            "id": "morning-sample", "name": "The Morning Sample",
            "description": "The Morning Sample: a sample source for general news.", "url": "https://morning-sample.example.com",
            "category": "general", "language": "en", "country": "us"
          },
          {
            "id": "sample-science", "name": "Sample Science", "description": "Sample Science: a sample source for science news.",
            "url": "https://sample-science.example.com", "category": "science", "language": "en", "country": "gb"
          },
          {
            "id": "sample-tech", "name": "Sample Tech", "description": "Sample Tech: a sample source for technology news.",
            "url": "https://sample-tech.example.com", "category": "technology", "language": "en", "country": "us"
          },
          {
            "id": "beispiel-zeitung", "name": "Beispiel-Zeitung",
            "description": "Beispiel-Zeitung: a sample source for general news.", "url": "https://beispiel-zeitung.example.com",
            "category": "general", "language": "de", "country": "de"
          },
          {
            "id": "le-specimen", "name": "Le Spécimen", "description": "Le Spécimen: a sample source for business news.",
            "url": "https://le-specimen.example.com", "category": "business", "language": "fr", "country": "fr"
          },
          {
            "id": "sample-sports", "name": "Sample Sports", "description": "Sample Sports: a sample source for sports news.",
            "url": "https://sample-sports.example.com", "category": "sports", "language": "en", "country": "us"
          }
        ]
        """#
}
