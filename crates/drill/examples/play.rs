use std::collections::BTreeMap;
use std::path::Path;
fn walk(p: &Path, v: &mut Vec<std::path::PathBuf>) {
    if p.is_file() { v.push(p.into()); return; }
    let mut e: Vec<_> = std::fs::read_dir(p).unwrap().map(|e| e.unwrap().path()).collect();
    e.sort();
    for p in e { if p.is_dir() { walk(&p, v) } else if p.extension().is_some_and(|x| x == "pkt") { v.push(p) } }
}
fn main() {
    let mut v = Vec::new();
    for a in std::env::args().skip(1) { walk(Path::new(&a), &mut v); }
    let mut c: BTreeMap<String, usize> = BTreeMap::new();
    for f in v {
        let t = String::from_utf8_lossy(&std::fs::read(&f).unwrap()).into_owned();
        let folder = f.parent().unwrap().to_owned();
        let files = |n: &str| std::fs::read_to_string(folder.join(n)).ok();
        let verdict = match farpath_drill::parse(&t) { Err(e) => { *c.entry("BAD".into()).or_default() += 1; println!("{}: BAD {e}", f.display()); continue } Ok(s) => farpath_drill::run(&s, &files) };
        let key = match &verdict { farpath_drill::Verdict::Pass => "pass".to_string(), farpath_drill::Verdict::Differs(d) => format!("differs {}", d.kind), farpath_drill::Verdict::Unsupported{reason,..} => format!("unsupported {reason}") };
        *c.entry(key).or_default() += 1;
        println!("{}: {verdict}", f.display());
    }
    for (k, n) in c { println!("{n:6} {k}"); }
}
