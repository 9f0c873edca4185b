//! HTTP transports for the wire codecs.
