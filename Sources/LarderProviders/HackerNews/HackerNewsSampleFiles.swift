// The samples of this folder. Made by scripts/embed-samples; not to be edited by hand.

enum HackerNewsSampleFiles {
    static let items: StaticString = #"""
        [
          {
            "by": "ada", "descendants": 4, "id": 1000001, "kids": [1000011, 1000012, 1000013], "score": 214, "time": 1795168800,
            "title": "A cache that survives the night", "type": "story", "url": "https://blog.example.org/2026/night"
          },
          {
            "by": "grace", "descendants": 1, "id": 1000002, "kids": [1000016], "score": 97, "time": 1795170600,
            "title": "Show HN: One local cache in front of every API", "type": "story",
            "url": "https://www.example.com/one-cache?ref=hn&amp=1"
          },
          {
            "by": "alan", "descendants": 0, "id": 1000003, "score": 41,
            "text": "My dashboard says <i>zero</i>, and I&#x27;d like to believe it.<p>What do you use?", "time": 1795172400,
            "title": "Ask HN: How do you count calls that were never made?", "type": "story"
          },
          {
            "by": "samplelabs", "id": 1000004, "score": 1, "time": 1795174200,
            "title": "Sample Labs is hiring a librarian for its caches", "type": "job", "url": "https://jobs.example.com/librarian"
          },
          {
            "by": "grace", "descendants": 1, "id": 1000005, "kids": [1000017], "score": 180, "time": 1795176000,
            "title": "Octopus found to remember which jars it has opened", "type": "story",
            "url": "https://science.example.org/octopus"
          },
          {
            "by": "spam", "dead": true, "descendants": 0, "id": 1000006, "time": 1795176600, "title": "Buy jars now",
            "type": "story", "url": "https://jars.example.com"
          },
          {"deleted": true, "id": 1000007, "time": 1795177200, "type": "story"},
          {
            "by": "ada", "descendants": 0, "id": 1000009, "parts": [1000021, 1000022], "score": 12, "text": "", "time": 1795177800,
            "title": "Poll: Tabs or spaces in your cache keys?", "type": "poll"
          },
          {
            "by": "alan", "id": 1000011, "kids": [1000014], "parent": 1000001,
            "text": "It&#x27;s the <i>stale</i> copy that I&#x27;d thank in the morning.<p>Ours is four years old by now, see <a href=\"https:&#x2F;&#x2F;example.org&#x2F;a\" rel=\"nofollow\">https:&#x2F;&#x2F;example.org&#x2F;a</a>",
            "time": 1795169400, "type": "comment"
          },
          {
            "by": "barbara", "id": 1000012, "parent": 1000001,
            "text": "Does it keep <code>Cache-Control: no-store &amp; friends</code> apart?", "time": 1795170000, "type": "comment"
          },
          {"deleted": true, "id": 1000013, "kids": [1000015], "parent": 1000001, "time": 1795170300, "type": "comment"},
          {"by": "ada", "id": 1000014, "parent": 1000011, "text": "Mine is five. &gt; four!", "time": 1795171200, "type": "comment"},
          {"by": "grace", "id": 1000015, "parent": 1000013, "text": "Well said.", "time": 1795171500, "type": "comment"},
          {"by": "alan", "id": 1000016, "parent": 1000002, "text": "Nice work.", "time": 1795171800, "type": "comment"},
          {"by": "barbara", "id": 1000017, "parent": 1000005, "text": "So does my octopus.", "time": 1795176300, "type": "comment"},
          {"by": "ada", "id": 1000021, "poll": 1000009, "score": 7, "text": "Tabs", "time": 1795177800, "type": "pollopt"},
          {
            "by": "ada", "id": 1000022, "poll": 1000009, "score": 31, "text": "Length, then bytes", "time": 1795177800,
            "type": "pollopt"
          }
        ]
        """#
    static let lists: StaticString = #"""
        {
          "topstories": [1000001, 1000002, 1000008, 1000005, 1000006, 1000003, 1000009, 1000004, 1000007],
          "newstories": [1000009, 1000008, 1000007, 1000006, 1000005, 1000004, 1000003, 1000002, 1000001],
          "beststories": [1000001, 1000005, 1000002], "askstories": [1000003], "showstories": [1000002], "jobstories": [1000004]
        }
        """#
    static let users: StaticString = #"""
        {
          "ada": {
            "about": "Writes about <b>caches</b> &amp; looms.", "created": 1173923446, "id": "ada", "karma": 4217,
            "submitted": [1000001, 1000014]
          },
          "grace": {"created": 1190398535, "id": "grace", "karma": 1906, "submitted": [1000002, 1000005, 1000015]}
        }
        """#
}
