"""Uses an agent through a client that openapi-python-client generated: uploads a bundle, reads it back, changes the
configuration. `python use_client.py API FILE`; run by `npm run check:clients`."""
import datetime
import importlib
import io
import pkgutil
import sys
from pathlib import Path

import vitrine_client
from vitrine_client import Client
from vitrine_client.api.configuration import patch_config
from vitrine_client.api.content import get_content, upload_bundle
from vitrine_client.api.files import get_splash
from vitrine_client.api.operations import get_operation
from vitrine_client.models import ConfigPatch, Content, Operation, WifiConfigPatch, WifiNetworkInput
from vitrine_client.types import File

api, path = sys.argv[1:]

# Some errors of the generator only appear when a module is imported.
for module in pkgutil.walk_packages(vitrine_client.__path__, "vitrine_client."):
    importlib.import_module(module.name)

# Every operation has a function; six of them are uploads.
uploads = [
    module.name
    for module in pkgutil.walk_packages(vitrine_client.__path__, "vitrine_client.")
    if ".upload_" in module.name
]
assert len(uploads) == 6, uploads

client = Client(base_url=api, timeout=60.0)
data = Path(path).read_bytes()
operation = upload_bundle.sync("from-python", client=client, body=File(payload=io.BytesIO(data)))
while isinstance(operation, Operation) and operation.state == "running":
    operation = get_operation.sync(operation.operation_id, client=client)
assert isinstance(operation, Operation) and operation.state == "done", operation
content = get_content.sync(client=client)
assert isinstance(content, Content), content
(bundle,) = [bundle for bundle in content.bundles if bundle.name == "from-python"]
assert bundle.size_bytes == len(data), bundle
assert isinstance(bundle.created, datetime.datetime), bundle

# Without passphrase and priority: the client must not send defaults of its own.
patch = ConfigPatch(wifi=WifiConfigPatch(networks=[WifiNetworkInput(ssid="python")]))
assert patch.to_dict() == {"wifi": {"networks": [{"ssid": "python"}]}}, patch
result = patch_config.sync(client=client, body=patch)
(network,) = result.config.wifi.networks
assert (network.ssid, network.psk, network.priority) == ("python", "", 0), network

splash = get_splash.sync(client=client)
assert splash.payload.read(4) == b"\x89PNG", splash
unknown = get_operation.sync("none", client=client)
assert unknown.error.code == "operation_not_found", unknown
