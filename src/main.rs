//! The `toile` command: all of it is in the library.

fn main() -> std::process::ExitCode {
    toile::cli::main()
}
