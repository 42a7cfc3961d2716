"""The other side of each comparison: one program a peer, all with the protocol of `serving`."""
