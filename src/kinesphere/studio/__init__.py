"""The whole engine in a browser: a local server, its sessions, and the page's client."""
