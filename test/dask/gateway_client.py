"""Asks dask-gateway's API server for a cluster with the options, as a scientist does: `new_cluster` or `submit`."""

import json
import sys

from dask_gateway import BasicAuth, Gateway

address, method, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
with Gateway(address, auth=BasicAuth("alice")) as gateway:
    print(getattr(gateway, method)(**options))
