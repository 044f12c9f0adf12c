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

# This generator writes lists of several values with repeated names, whatever the document says of commas; one value is one.
single = get_search.sync(client=client, q="dragon", source=[GetSearchSourceItem.DND5E])
assert single is not None and [s.provider for s in single.sources] == ["dnd5e"], single
print(f"search: {single.count} results of {single.sources[0].provider}")
