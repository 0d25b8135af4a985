"""Environments that MuJoCo simulates, and their vectorised and rendered forms."""
