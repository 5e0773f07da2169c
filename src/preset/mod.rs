//! JSON scenes and fabrics -> typed parameters.
