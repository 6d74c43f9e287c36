//! A host's measuring process: its job on standard input, what it tells on standard output.

use std::io;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let input = io::BufReader::new(io::stdin());
    farpath_probe::serve(input, io::stdout(), farpath_probe::Stop::new()?)?;
    Ok(())
}
