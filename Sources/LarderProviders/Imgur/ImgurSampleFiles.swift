// The samples of this folder. Made by scripts/embed-samples; not to be edited by hand.

enum ImgurSampleFiles {
    static let gallery: StaticString = #"""
        [
          {
            "id": "LmpA001", "title": "A lantern in the fog", "description": "Taken at six in the morning.", "datetime": 1795168800,
            "type": "image/jpeg", "animated": false, "width": 1024, "height": 768, "size": 196608, "views": 390037,
            "bandwidth": 75893833728, "vote": null, "favorite": false, "nsfw": null, "section": "pics", "account_url": "harbourcat",
            "account_id": null, "link": "http://i.imgur.com/LmpA001.jpg", "is_album": false, "ups": null, "downs": null,
            "points": null, "score": null, "comment_count": null, "topic": null, "in_most_viral": false, "is_ad": false,
            "tags": [
              {"name": "photography", "display_name": "photography"},
              {"name": "lantern", "display_name": "lantern"}
            ]
          },
          {
            "id": "LmpAlb2", "title": "How to make a paper lantern", "description": null, "datetime": 1795100000,
            "cover": "LmpB001", "cover_width": 1024, "cover_height": 768, "account_url": "foldedpaper", "privacy": "public",
            "layout": "blog", "views": 1248778, "link": "https://imgur.com/a/LmpAlb2", "images_count": 3,
            "images": [
              {
                "id": "LmpB001", "title": null, "description": "One: the paper.", "datetime": 1795100000, "type": "image/jpeg",
                "animated": false, "width": 1024, "height": 768, "size": 196608, "views": 1248778, "bandwidth": 242988613632,
                "vote": null, "favorite": false, "nsfw": null, "section": null, "link": "http://i.imgur.com/LmpB001.jpg"
              },
              {
                "id": "LmpB002", "title": "Two: the fold", "description": null, "datetime": 1795100000, "type": "image/jpeg",
                "animated": false, "width": 1024, "height": 768, "size": 196608, "views": 1248778, "bandwidth": 242988613632,
                "vote": null, "favorite": false, "nsfw": null, "section": null, "link": "http://i.imgur.com/LmpB002.jpg"
              },
              {
                "id": "LmpB003", "title": null, "description": null, "datetime": 1795100000, "type": "image/png", "animated": false,
                "width": 640, "height": 480, "size": 76800, "views": 1248778, "bandwidth": 94917427200, "vote": null,
                "favorite": false, "nsfw": false, "section": null, "link": "http://i.imgur.com/LmpB003.png"
              }
            ],
            "is_album": true, "ups": 12874, "downs": 321, "points": 12553, "score": 12874, "comment_count": 757, "topic": null,
            "in_most_viral": true, "is_ad": false,
            "tags": [
              {"name": "diy", "display_name": "diy"},
              {"name": "lantern", "display_name": "lantern"}
            ]
          },
          {
            "id": "LmpGif3", "title": "The lantern goes out by itself", "description": null, "datetime": 1794900000,
            "type": "image/gif", "animated": true, "width": 636, "height": 357, "size": 56763, "views": 53641,
            "bandwidth": 3013434144, "vote": null, "favorite": false, "nsfw": null, "section": "funny", "account_url": null,
            "account_id": null, "has_sound": false, "mp4": "https://i.imgur.com/LmpGif3.mp4",
            "gifv": "https://i.imgur.com/LmpGif3.gifv", "hls": "", "mp4_size": 190800, "looping": true,
            "link": "http://i.imgur.com/LmpGif3.gif", "is_album": false, "ups": null, "downs": null, "points": null, "score": null,
            "comment_count": null, "topic": null, "in_most_viral": false, "is_ad": false, "tags": []
          },
          {
            "id": "LmpAlb4", "title": "Every lantern of our street", "description": null, "datetime": 1394000000,
            "cover": "LmpC001", "cover_width": 610, "cover_height": 3704, "account_url": "wanderer", "privacy": "public",
            "layout": "blog", "views": 8536, "link": "http://imgur.com/a/LmpAlb4", "images_count": 2, "is_album": true, "ups": 88,
            "downs": 2, "points": 86, "score": 88, "comment_count": 5, "topic": null, "in_most_viral": false, "is_ad": false,
            "tags": []
          },
          {
            "id": "OctoP01", "title": "An octopus opens a jar", "description": null, "datetime": 1795000000, "type": "video/mp4",
            "animated": true, "width": 1280, "height": 720, "size": 230400, "views": 2930467, "bandwidth": 668218982400,
            "vote": null, "favorite": false, "nsfw": null, "section": null, "account_url": "tidepool", "account_id": null,
            "has_sound": true, "mp4": "https://i.imgur.com/OctoP01.mp4", "gifv": "https://i.imgur.com/OctoP01.gifv", "hls": "",
            "mp4_size": 384000, "looping": true, "link": "http://i.imgur.com/OctoP01.mp4", "is_album": false, "ups": 30211,
            "downs": 755, "points": 29456, "score": 30211, "comment_count": 1777, "topic": null, "in_most_viral": true,
            "is_ad": false, "tags": [{"name": "octopus", "display_name": "octopus"}]
          },
          {
            "id": "CatsA01", "title": "The cat that answers the door", "description": null, "datetime": 1795120000,
            "type": "image/jpeg", "animated": false, "width": 1024, "height": 768, "size": 196608, "views": 679,
            "bandwidth": 132120576, "vote": null, "favorite": false, "nsfw": true, "section": null, "account_url": "harbourcat",
            "account_id": null, "link": "http://i.imgur.com/CatsA01.jpg", "is_album": false, "ups": 7, "downs": 0, "points": 7,
            "score": 7, "comment_count": 0, "topic": null, "in_most_viral": false, "is_ad": false,
            "tags": [{"name": "cats", "display_name": "cats"}]
          }
        ]
        """#
    static let hidden: StaticString = #"""
        {
          "LmpAlb4": [
            {
              "id": "LmpC001", "title": null, "description": null, "datetime": 1394000000, "type": "image/jpeg", "animated": false,
              "width": 610, "height": 3704, "size": 564860, "views": 8536, "bandwidth": 4771937280, "vote": null, "favorite": false,
              "nsfw": null, "section": null, "link": "http://i.imgur.com/LmpC001.jpg"
            },
            {
              "id": "LmpC002", "title": null, "description": null, "datetime": 1394000000, "type": "image/jpeg", "animated": false,
              "width": 1024, "height": 768, "size": 196608, "views": 8536, "bandwidth": 1660944384, "vote": null, "favorite": false,
              "nsfw": null, "section": null, "link": "http://i.imgur.com/LmpC002.jpg"
            }
          ]
        }
        """#
    static let tags: StaticString = #"""
        {
          "tags": [
            {
              "name": "lantern", "display_name": "Lantern", "followers": 17, "total_items": 2, "background_hash": "LmpA001",
              "description": null
            },
            {
              "name": "octopus", "display_name": "Octopus", "followers": 17, "total_items": 1, "background_hash": "LmpA001",
              "description": null
            },
            {
              "name": "cats", "display_name": "Cats", "followers": 17, "total_items": 1, "background_hash": "LmpA001",
              "description": null
            }
          ],
          "featured": "lantern", "galleries": []
        }
        """#
}
