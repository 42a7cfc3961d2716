"""Drives alfcg-bench and its peers; the standard library only, because it also makes the peers' environment."""
