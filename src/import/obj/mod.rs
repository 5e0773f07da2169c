//! OBJ files.
