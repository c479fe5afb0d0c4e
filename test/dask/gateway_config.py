"""Configuration of dask-gateway's API server: options as an operator offers them, all of which may go wrong."""

import os

from dask_gateway_server.options import Integer, Options, String


def handler(options):
    """Overrides the request and forgets the limit, as has happened in the wild."""
    secrets = [{"name": options.pull_secret}] if options.pull_secret else []
    return {
        "worker_memory": f"{options.worker_memory} G",
        "image_pull_secrets": secrets,
        "worker_extra_pod_labels": {"team": options.team},
    }


c.DaskGateway.address = f"127.0.0.1:{os.environ['GATEWAY_PORT']}"
c.DaskGateway.backend_class = "dask_gateway_server.backends.kubernetes.KubeBackend"
c.KubeBackend.gateway_instance = "gateway-a"
c.KubeBackend.cluster_options = Options(
    Integer("worker_memory", default=2),
    String("pull_secret", default=""),
    String("team", default="science"),
    handler=handler,
)
c.KubeClusterConfig.namespace = os.environ["GATEWAY_NAMESPACE"]
c.KubeClusterConfig.worker_memory_limit = "4 G"
