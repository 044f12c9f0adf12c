// The samples of this folder. Made by scripts/embed-samples; not to be edited by hand.

enum ITunesSampleFiles {
    static let items: StaticString = #"""
        [
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857781, "trackName": "Better Together",
            "trackCensoredName": "Better Together", "trackViewUrl": "https://music.apple.com/us/sample/1440857781?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 240000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857782, "trackName": "Never Know",
            "trackCensoredName": "Never Know", "trackViewUrl": "https://music.apple.com/us/sample/1440857782?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 241000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857783, "trackName": "Banana Pancakes",
            "trackCensoredName": "Banana Pancakes", "trackViewUrl": "https://music.apple.com/us/sample/1440857783?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 0.99, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 242000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857784, "trackName": "Good People",
            "trackCensoredName": "Good People", "trackViewUrl": "https://music.apple.com/us/sample/1440857784?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 243000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857785, "trackName": "No Other Way",
            "trackCensoredName": "No Other Way", "trackViewUrl": "https://music.apple.com/us/sample/1440857785?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 244000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857786, "trackName": "Sitting, Waiting, Wishing",
            "trackCensoredName": "Sitting, Waiting, Wishing", "trackViewUrl": "https://music.apple.com/us/sample/1440857786?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 0.99, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 245000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857787, "trackName": "Staple It Together",
            "trackCensoredName": "Staple It Together", "trackViewUrl": "https://music.apple.com/us/sample/1440857787?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 246000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857788, "trackName": "Situations",
            "trackCensoredName": "Situations", "trackViewUrl": "https://music.apple.com/us/sample/1440857788?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 150000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857789, "trackName": "Crying Shame",
            "trackCensoredName": "Crying Shame", "trackViewUrl": "https://music.apple.com/us/sample/1440857789?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 0.99, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 151000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440857780,
            "collectionName": "In Between Dreams", "trackId": 1440857790, "trackName": "Belle", "trackCensoredName": "Belle",
            "trackViewUrl": "https://music.apple.com/us/sample/1440857790?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 152000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "collection", "collectionType": "Album", "artistId": 909253, "artistName": "Jack Johnson",
            "collectionId": 1440857780, "collectionName": "In Between Dreams",
            "collectionViewUrl": "https://music.apple.com/us/sample/1440857780?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440857780/source/100x100bb.jpg",
            "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2005-03-01T12:00:00Z",
            "primaryGenreName": "Rock"
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440752310,
            "collectionName": "On and On", "trackId": 1440752311, "trackName": "Times Like These",
            "trackCensoredName": "Times Like These", "trackViewUrl": "https://music.apple.com/us/sample/1440752311?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2003-05-06T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 209000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440752310,
            "collectionName": "On and On", "trackId": 1440752312, "trackName": "The Horizon Has Been Defeated",
            "trackCensoredName": "The Horizon Has Been Defeated",
            "trackViewUrl": "https://music.apple.com/us/sample/1440752312?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2003-05-06T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 210000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440752310,
            "collectionName": "On and On", "trackId": 1440752313, "trackName": "Traffic in the Sky",
            "trackCensoredName": "Traffic in the Sky", "trackViewUrl": "https://music.apple.com/us/sample/1440752313?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/100x100bb.jpg",
            "trackPrice": 0.99, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2003-05-06T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 211000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440752310,
            "collectionName": "On and On", "trackId": 1440752314, "trackName": "Taylor", "trackCensoredName": "Taylor",
            "trackViewUrl": "https://music.apple.com/us/sample/1440752314?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2003-05-06T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 212000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440752310,
            "collectionName": "On and On", "trackId": 1440752315, "trackName": "Gone", "trackCensoredName": "Gone",
            "trackViewUrl": "https://music.apple.com/us/sample/1440752315?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2003-05-06T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 213000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 909253, "artistName": "Jack Johnson", "collectionId": 1440752310,
            "collectionName": "On and On", "trackId": 1440752316, "trackName": "Cupid", "trackCensoredName": "Cupid",
            "trackViewUrl": "https://music.apple.com/us/sample/1440752316?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/100x100bb.jpg",
            "trackPrice": 0.99, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2003-05-06T12:00:00Z",
            "primaryGenreName": "Rock", "trackTimeMillis": 214000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "collection", "collectionType": "Album", "artistId": 909253, "artistName": "Jack Johnson",
            "collectionId": 1440752310, "collectionName": "On and On",
            "collectionViewUrl": "https://music.apple.com/us/sample/1440752310?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1440752310/source/100x100bb.jpg",
            "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2003-05-06T12:00:00Z",
            "primaryGenreName": "Rock"
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 79587, "artistName": "Johann Sebastian Bach",
            "collectionId": 1452003100, "collectionName": "Das wohltemperierte Klavier", "trackId": 1452003101,
            "trackName": "Präludium und Fuge Nr. 1 in C-Dur", "trackCensoredName": "Präludium und Fuge Nr. 1 in C-Dur",
            "trackViewUrl": "https://music.apple.com/us/sample/1452003101?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1452003100/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1452003100/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2016-01-15T12:00:00Z",
            "primaryGenreName": "Classical", "trackTimeMillis": 163000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 79587, "artistName": "Johann Sebastian Bach",
            "collectionId": 1452003100, "collectionName": "Das wohltemperierte Klavier", "trackId": 1452003102,
            "trackName": "Präludium und Fuge Nr. 2 in c-Moll", "trackCensoredName": "Präludium und Fuge Nr. 2 in c-Moll",
            "trackViewUrl": "https://music.apple.com/us/sample/1452003102?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1452003100/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1452003100/source/100x100bb.jpg",
            "trackPrice": 1.29, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2016-01-15T12:00:00Z",
            "primaryGenreName": "Classical", "trackTimeMillis": 164000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "track", "kind": "song", "artistId": 79587, "artistName": "Johann Sebastian Bach",
            "collectionId": 1452003100, "collectionName": "Das wohltemperierte Klavier", "trackId": 1452003103,
            "trackName": "Präludium und Fuge Nr. 10 in e-Moll", "trackCensoredName": "Präludium und Fuge Nr. 10 in e-Moll",
            "trackViewUrl": "https://music.apple.com/us/sample/1452003103?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1452003100/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1452003100/source/100x100bb.jpg",
            "trackPrice": 0.99, "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2016-01-15T12:00:00Z",
            "primaryGenreName": "Classical", "trackTimeMillis": 165000, "trackExplicitness": "notExplicit", "isStreamable": true
          },
          {
            "wrapperType": "collection", "collectionType": "Album", "artistId": 79587, "artistName": "Johann Sebastian Bach",
            "collectionId": 1452003100, "collectionName": "Das wohltemperierte Klavier",
            "collectionViewUrl": "https://music.apple.com/us/sample/1452003100?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1452003100/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/1452003100/source/100x100bb.jpg",
            "collectionPrice": 9.99, "currency": "USD", "country": "USA", "releaseDate": "2016-01-15T12:00:00Z",
            "primaryGenreName": "Classical"
          },
          {
            "kind": "ebook", "artistId": 3599, "artistName": "Lewis Carroll", "trackId": 395530001,
            "trackName": "Alice's Adventures in Wonderland", "trackCensoredName": "Alice's Adventures in Wonderland",
            "trackViewUrl": "https://music.apple.com/us/sample/395530001?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/395530001/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/395530001/source/100x100bb.jpg", "price": 0.00,
            "currency": "USD", "country": "USA", "releaseDate": "1865-11-26T08:00:00Z", "primaryGenreName": "Classics",
            "description": "<b>Alice</b> falls down a rabbit hole &amp; into a world of her own.<br />Public domain."
          },
          {
            "kind": "ebook", "artistId": 3599, "artistName": "Lewis Carroll", "trackId": 395530002,
            "trackName": "Through the Looking-Glass", "trackCensoredName": "Through the Looking-Glass",
            "trackViewUrl": "https://music.apple.com/us/sample/395530002?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/395530002/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/395530002/source/100x100bb.jpg", "price": 1.99,
            "currency": "USD", "country": "USA", "releaseDate": "1871-12-27T08:00:00Z", "primaryGenreName": "Classics",
            "description": "Alice again, now by way of a mirror."
          },
          {
            "wrapperType": "audiobook", "artistId": 3599, "artistName": "Lewis Carroll", "collectionId": 395530003,
            "collectionName": "Alice in Wonderland (Unabridged)",
            "collectionViewUrl": "https://music.apple.com/us/sample/395530003?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/395530003/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/395530003/source/100x100bb.jpg",
            "collectionPrice": 5.95, "currency": "USD", "country": "USA", "releaseDate": "2011-02-03T08:00:00Z",
            "primaryGenreName": "Fiction"
          },
          {
            "wrapperType": "software", "kind": "software", "artistId": 510000, "artistName": "Example Works", "trackId": 510000001,
            "trackName": "Pocket Notes", "trackCensoredName": "Pocket Notes",
            "trackViewUrl": "https://music.apple.com/us/sample/510000001?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/510000001/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/510000001/source/100x100bb.jpg",
            "artworkUrl512": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/510000001/source/512x512bb.jpg", "price": 0.00,
            "currency": "USD", "country": "USA", "releaseDate": "2019-06-01T07:00:00Z", "primaryGenreName": "Productivity",
            "bundleId": "org.example.sample510000001", "version": "1.4.2", "fileSizeBytes": "48234496",
            "genres": ["Productivity", "Utilities"], "sellerName": "Example Works",
            "description": "Notes, lists and nothing else.\n\n\n• Works offline"
          },
          {
            "wrapperType": "software", "kind": "software", "artistId": 510000, "artistName": "Example Works", "trackId": 510000002,
            "trackName": "Notes for Chess", "trackCensoredName": "Notes for Chess",
            "trackViewUrl": "https://music.apple.com/us/sample/510000002?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/510000002/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/510000002/source/100x100bb.jpg",
            "artworkUrl512": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/510000002/source/512x512bb.jpg", "price": 4.99,
            "currency": "USD", "country": "USA", "releaseDate": "2021-09-14T07:00:00Z", "primaryGenreName": "Games",
            "bundleId": "org.example.sample510000002", "version": "1.4.2", "fileSizeBytes": "48234496",
            "genres": ["Games", "Utilities"], "sellerName": "Example Works", "description": "Write down a game while you play it."
          },
          {
            "wrapperType": "track", "kind": "podcast", "artistId": 620000, "artistName": "Example Radio", "collectionId": 620000001,
            "collectionName": "Notes from the Server Room", "trackId": 620000001, "trackName": "Notes from the Server Room",
            "trackCensoredName": "Notes from the Server Room", "trackViewUrl": "https://music.apple.com/us/sample/620000001?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/620000001/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/620000001/source/100x100bb.jpg", "trackPrice": 0,
            "currency": "USD", "country": "USA", "releaseDate": "2026-11-18T05:00:00Z", "primaryGenreName": "Technology"
          },
          {
            "wrapperType": "track", "kind": "feature-movie", "artistId": 730000, "artistName": "Georges Méliès",
            "trackId": 730000001, "trackName": "A Trip to the Moon", "trackCensoredName": "A Trip to the Moon",
            "trackViewUrl": "https://music.apple.com/us/sample/730000001?uo=4",
            "artworkUrl60": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/730000001/source/60x60bb.jpg",
            "artworkUrl100": "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/730000001/source/100x100bb.jpg",
            "trackPrice": 3.99, "currency": "USD", "country": "USA", "releaseDate": "1902-09-01T07:00:00Z",
            "primaryGenreName": "Sci-Fi & Fantasy", "description": "Astronomers fly to the moon in a shell."
          }
        ]
        """#
}
