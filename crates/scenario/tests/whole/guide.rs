//! What the guide shows is right.

use farpath_scenario::{Source, parse, template};

const GUIDE: &str = include_str!("../../../../docs/guides/write-a-scenario.md");

/// The TOML blocks of the guide, in order.
fn blocks() -> Vec<&'static str> {
    GUIDE
        .split("```toml\n")
        .skip(1)
        .filter_map(|b| b.split("```").next())
        .collect()
}

fn read(text: String) -> Result<(), String> {
    parse(
        &Source {
            name: "my-path.toml".to_owned(),
            text,
        },
        &[],
    )
    .map(|_| ())
    .map_err(|e| e.to_string())
}

/// The template without its own test and expectations of that name, then the guide's blocks.
#[test]
fn every_block_of_the_guide_parses() {
    let [nodes, losses, tests, sweep, tables, search] = blocks()[..] else {
        panic!("the guide has other blocks")
    };
    let own = template().find("# Tests are traffic").expect("it is there");
    let path = &template()[..own];
    let first = path.find("[[host]]").expect("it is there");
    assert!(path.contains("name = \"lan\"") && nodes.contains("name = \"lan\""));
    let (impairments, event) = losses.split_at(losses.find("[[event]]").expect("it is there"));
    // The impairments belong to the link that the template's path ends with.
    let whole = format!("{path}\n{impairments}\n{event}\n{tests}\n{sweep}\n{tables}\n{search}");
    assert_eq!(read(whole), Ok(()));
    let far = "\n[[link]]\nname = \"far\"\nends = [\"edge\", \"far\"]\nframing = \"gbe\"\n\n[[host]]\nname = \"far\"\n";
    assert_eq!(read(format!("{}\n{nodes}\n{far}", &path[..first])), Ok(()));
}

#[test]
fn the_refusal_in_the_guide_is_the_real_one() {
    let wrong = template().replacen("delay = \"50 ms\"", "dealy = \"50 ms\"", 1);
    let said = read(wrong).expect_err("the key is unknown");
    let shown = said.split("\n\n").next().expect("it is not empty");
    assert!(GUIDE.contains(shown), "the guide should show:\n{shown}");
}
