// Empty: the precompiled headers that the test programs share belong to a library, and a library needs a source.
