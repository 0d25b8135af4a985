"""What keeps older programs running; each module is imported where one of its names is asked for.

`step_api_compatibility`, and `vector` for several environments, turn four values of a step into five and back;
`env_match` compares two environments; `performance` measures how fast one is.
"""
