"""Runs a search with the client that openapi-python-client generated from /openapi.json."""

import sys

from larder_client import Client
from larder_client.api.itunes import get_itunes_search
from larder_client.api.search import get_search
from larder_client.models import GetSearchSourceItem

client = Client(base_url=sys.argv[1])
found = get_itunes_search.sync(client=client, term="jack johnson", limit=3)
assert found is not None and found.count > 0, found
print(f"itunes: {found.count} results, the first is {found.results[0].title}")

# Results are typed by kind.
assert type(found.results[0]).__name__ == "ItunesSong", type(found.results[0])
assert found.results[0].attributes.duration_millis > 0, found.results[0].attributes

# This generator sends lists as repeated names, although the document specifies commas.
both = get_search.sync(client=client, q="dragon", source=[GetSearchSourceItem.DND5E, GetSearchSourceItem.HACKERNEWS])
assert both is not None and {s.provider for s in both.sources} == {"dnd5e", "hackernews"}, both
print(f"search: {both.count} results of {', '.join(s.provider for s in both.sources)}")
