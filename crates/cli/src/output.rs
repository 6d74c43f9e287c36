//! What `--out` and `--junit` write: checked before the run, and put in place whole.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary's files are written here, with errors that name the path"
)]

mod place;

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use farpath_experiment::Loaded;
use farpath_record::page::ReportData;
use farpath_record::{RunDocument, Unfinished};
use farpath_report::html::render;
use farpath_report::junit::titles;

use crate::drafts::drafts;
use crate::exit::{Failure, note};
use crate::progress;
use place::Place;

/// A folder that will hold the results of a run; one made for them goes again if none came.
pub(crate) struct Output {
    folder: PathBuf,
    /// This process made the folder.
    made: bool,
}

/// One file that will be written; nothing is left behind if it never is.
pub(crate) struct Pending {
    path: PathBuf,
    /// What the path leads to.
    place: Place,
    /// The draft beside the file, which is renamed at the end. `None`: the path leads to a stream, such as a FIFO, and is written to directly.
    draft: Option<Draft>,
    /// The beginning of what an older run left there, where it was removed for this one.
    older: String,
}

/// The names of a JUnit report stand in so many bytes at its beginning.
const HEAD: u64 = 65_536;

/// What becomes a file when it is whole.
struct Draft {
    path: PathBuf,
    /// Locked for as long as this process works on it.
    _held: File,
    written: bool,
}

/// What a run writes, beside the scenario's own files and captures.
const RESULTS: [&str; 7] = [
    "records.json",
    "series.csv",
    "metrics.csv",
    "links.csv",
    RESOLVED,
    "report.json",
    "report.html",
];

/// What a run that was stopped leaves for one that goes on with it.
const RESUME: &str = "resume.json";

/// The scenario as it was run.
const RESOLVED: &str = "scenario.resolved.toml";

/// Where this process's results go that are not written yet.
static PLACES: Mutex<Vec<Place>> = Mutex::new(Vec::new());

fn places() -> MutexGuard<'static, Vec<Place>> {
    PLACES.lock().unwrap_or_else(|e| e.into_inner())
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.made {
            drafts().retain(|d| *d != self.folder);
            // Fails, as it should, where results were written.
            drop(fs::remove_dir(&self.folder));
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        drafts().retain(|d| *d != self.path);
        if !self.written {
            drop(fs::remove_file(&self.path));
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut all = places();
        let own = all.iter().position(|place| *place == self.place);
        own.into_iter().for_each(|n| drop(all.swap_remove(n)));
    }
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    let hint = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space there, or choose another place"
        }
        _ => "choose a place you may write to",
    };
    Failure::environment(format!("{what} {}: {error}", path.display())).hint(hint)
}

/// Removes the drafts of `path` that killed processes left: nobody holds their lock.
fn sweep(path: &Path) {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!("{file}.");
    let is_draft = |name: &str| {
        let process = name
            .strip_prefix(&prefix)
            .and_then(|n| n.strip_suffix(".part"));
        process.is_some_and(|p| p.parse::<u32>().is_ok())
    };
    // Of a bare name it is empty.
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new(".")));
    for entry in entries.into_iter().flatten().flatten() {
        let abandoned = || File::open(entry.path()).is_ok_and(|draft| draft.try_lock().is_ok());
        if is_draft(&entry.file_name().to_string_lossy()) && abandoned() {
            drop(fs::remove_file(entry.path()));
        }
    }
}

/// The text of links.csv.
pub(crate) fn links_csv(document: &RunDocument) -> Result<Vec<u8>, Failure> {
    let mut links = Vec::new();
    document
        .write_links_csv(&mut links)
        .map_err(|e| Failure::environment(format!("links.csv: {e}")))?;
    Ok(links)
}

/// Makes sure that `path` can be written, and that nothing else of this process goes there.
pub(crate) fn prepare_file(path: &Path) -> Result<Pending, Failure> {
    if path.is_dir() {
        return Err(
            Failure::environment(format!("write {}: it is a folder", path.display()))
                .hint("name a file in it"),
        );
    }
    let place = place::of(path).map_err(|e| cannot("write", path, &e))?;
    claim(path, &place)?;
    let mut pending = Pending {
        path: path.to_owned(),
        place,
        draft: None,
        older: String::new(),
    };
    pending.draft = match &pending.place {
        Place::File(target) => Some(Draft::of(target).map_err(|e| pending.cannot_write(&e))?),
        Place::Stream(stream) => {
            place::check(stream).map_err(|e| pending.cannot_write(&e))?;
            None
        }
        Place::Descriptor(_) => None,
    };
    Ok(pending)
}

/// The same of a report that is named by itself: what an older run left there goes at once.
pub(crate) fn prepare_report(path: &Path) -> Result<Pending, Failure> {
    let mut pending = prepare_file(path)?;
    pending.older = pending.head();
    pending.remove_old();
    Ok(pending)
}

/// Refuses a place that another of this process's results goes to, and notes it.
fn claim(path: &Path, place: &Place) -> Result<(), Failure> {
    let mut all = places();
    // What a device swallows cannot be mixed up.
    if all.contains(place) && !place.is_device() {
        let title = format!("write {}: another result goes there, too", path.display());
        return Err(Failure::usage(title).hint("give each a file of its own"));
    }
    all.push(place.clone());
    Ok(())
}

impl Draft {
    /// One beside `target`.
    fn of(target: &Path) -> std::io::Result<Draft> {
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let path = target.with_file_name(name);
        sweep(target);
        let held = File::create(&path)?;
        // Where a file system has no locks, its drafts stay.
        drop(held.try_lock());
        drafts().push(path.clone());
        Ok(Draft {
            path,
            _held: held,
            written: false,
        })
    }
}

impl Pending {
    /// Writes the file whole, or not at all.
    pub(crate) fn write(self, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.open()?.write_all(bytes);
        written.map_err(|e| self.cannot_write(&e))?;
        self.place()
    }

    /// The beginning of what is in the file's place; empty where nothing is, or what is not text.
    fn head(&self) -> String {
        let Place::File(target) = &self.place else {
            return String::new();
        };
        let mut head = Vec::new();
        let read = File::open(target).and_then(|file| file.take(HEAD).read_to_end(&mut head));
        read.map_or(String::new(), |_| {
            String::from_utf8_lossy(&head).into_owned()
        })
    }

    /// Says that a JUnit report takes the place of another run's: in a job of several runs the last one alone would be seen. Of a
    /// report the first names count, of its suite or of its case, too; `also` is a suite's name that the same run may have had.
    pub(crate) fn say_replaced(&self, xml: &[u8], names: usize, also: &str) {
        let new = String::from_utf8_lossy(xml);
        let Some((old, new)) = titles(&self.older).zip(titles(&new)) else {
            return;
        };
        if old[..names] != new[..names] && old[0] != also {
            note(&format!(
                "{} held the report of another run, `{}`, and has this one's now: give each run a file of its own",
                self.path.display(),
                unescaped(&old[..names].join(" -- "))
            ));
        }
    }

    /// Removes what an older run has left in the file's place: if this one is killed, nobody takes that for its own.
    fn remove_old(&self) {
        // What is not a file, such as /dev/stdout, was left by no run.
        if let Place::File(target) = &self.place {
            // Where that cannot be, the new one cannot take its place either, and that is said.
            drop(fs::remove_file(target));
        }
    }

    /// The file's draft, to be written bit by bit; [`Pending::place`] puts it in place. Of what is not a file, that itself.
    pub(crate) fn open(&self) -> Result<File, Failure> {
        let opened = match (&self.draft, &self.place) {
            (Some(draft), _) => File::create(&draft.path),
            (None, place) => place.open(progress::interrupted),
        };
        opened.map_err(|e| self.cannot_write(&e))
    }

    /// What to say when writing it fails.
    pub(crate) fn cannot_write(&self, error: &std::io::Error) -> Failure {
        cannot("write", &self.path, error)
    }

    /// Puts the draft in place.
    pub(crate) fn place(mut self) -> Result<(), Failure> {
        if let (Some(draft), Place::File(target)) = (&mut self.draft, &self.place) {
            let placed = fs::rename(&draft.path, target);
            placed.map_err(|e| cannot("write", &self.path, &e))?;
            draft.written = true;
        }
        Ok(())
    }
}

/// The text of an XML attribute.
fn unescaped(text: &str) -> String {
    let marks = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    marks
        .iter()
        .fold(text.to_owned(), |text, (mark, is)| text.replace(mark, is))
}

impl Output {
    /// Creates the folder and makes sure that files can be written there.
    pub(crate) fn prepare(folder: &Path) -> Result<Output, Failure> {
        let made = !folder.exists();
        fs::create_dir_all(folder).map_err(|e| cannot("create folder", folder, &e))?;
        if made {
            drafts().push(folder.to_owned());
        }
        let output = Output {
            folder: folder.to_owned(),
            made,
        };
        drop(prepare_file(&folder.join("records.json"))?);
        Ok(output)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether an older run has left its results there.
    pub(crate) fn has_older(&self) -> bool {
        self.folder.join(RESULTS[0]).is_file()
    }

    /// Refuses files of a scenario that results would overwrite.
    pub(crate) fn has_room_for<'a>(
        &self,
        mut names: impl Iterator<Item = &'a String>,
    ) -> Result<(), Failure> {
        let is_result = |n: &&String| RESULTS.contains(&n.as_str()) || n.as_str() == RESUME;
        let Some(name) = names.find(is_result) else {
            return Ok(());
        };
        let folder = self.folder.display();
        let title = format!(
            "--out {folder}: the scenario reads a file `{name}`, and so are results called"
        );
        Err(Failure::usage(title).hint("give the scenario's file another name"))
    }

    /// Writes everything; the files the scenario reads go beside it, so that the folder can be run. What an older run left is
    /// there until all of it is written. The bytes of series.csv are returned.
    pub(crate) fn write(
        &self,
        loaded: &Loaded,
        document: &RunDocument,
        page: &ReportData,
        links: Vec<u8>,
    ) -> Result<usize, Failure> {
        let (mut drafts, size) = self.results(document, page, links)?;
        let managers = farpath_scenario::managers(&loaded.scenario);
        let resolved = farpath_scenario::with_managers(loaded.document.resolved_text(), &managers);
        drafts.push(self.draft(RESOLVED, resolved.as_bytes())?);
        for (name, text) in &loaded.files {
            let path = self.folder.join(name);
            let folder = path.parent().unwrap_or(&self.folder);
            fs::create_dir_all(folder).map_err(|e| cannot("create folder", folder, &e))?;
            drafts.push(self.draft(name, text.as_bytes())?);
        }
        drafts.into_iter().try_for_each(Pending::place)?;
        Ok(size)
    }

    /// Writes records, tables and the page. The bytes of series.csv are returned.
    pub(crate) fn write_results(
        &self,
        document: &RunDocument,
        page: &ReportData,
        links: Vec<u8>,
    ) -> Result<usize, Failure> {
        let (drafts, size) = self.results(document, page, links)?;
        drafts.into_iter().try_for_each(Pending::place)?;
        Ok(size)
    }

    /// What a run that was stopped left here, for one that goes on with it; none where it left nothing.
    pub(crate) fn unfinished(&self) -> Result<Option<Unfinished>, Failure> {
        let path = self.folder.join(RESUME);
        let failed = |why: String| {
            let title = format!("read {}: {why}", path.display());
            Failure::environment(title).hint("without --resume everything is run")
        };
        match fs::read_to_string(&path) {
            Ok(text) => Unfinished::from_json(&text)
                .map(Some)
                .map_err(|e| failed(e.to_string())),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(failed(e.to_string())),
        }
    }

    /// Writes that of a run that was stopped; a whole one removes what an earlier run left.
    pub(crate) fn keep(&self, unfinished: Option<&Unfinished>) -> Result<(), Failure> {
        let path = self.folder.join(RESUME);
        let Some(unfinished) = unfinished else {
            return match fs::remove_file(&path) {
                Err(e) if e.kind() != ErrorKind::NotFound => Err(cannot("remove", &path, &e)),
                _ => Ok(()),
            };
        };
        prepare_file(&path)?.write(unfinished.to_json().as_bytes())
    }

    /// A file of the folder, written and not in place yet.
    fn draft(&self, name: &str, bytes: &[u8]) -> Result<Pending, Failure> {
        let file = prepare_file(&self.folder.join(name))?;
        let written = file.open()?.write_all(bytes);
        written.map_err(|e| file.cannot_write(&e))?;
        Ok(file)
    }

    /// Records, tables and the page, not in place yet, and the bytes of series.csv.
    fn results(
        &self,
        document: &RunDocument,
        page: &ReportData,
        links: Vec<u8>,
    ) -> Result<(Vec<Pending>, usize), Failure> {
        let mut csv = Vec::new();
        document
            .write_series_csv(&mut csv)
            .map_err(|e| Failure::environment(format!("series.csv: {e}")))?;
        let mut metrics = Vec::new();
        document
            .write_metrics_csv(&mut metrics)
            .map_err(|e| Failure::environment(format!("metrics.csv: {e}")))?;
        let data = serde_json::to_vec(page)
            .map_err(|e| Failure::environment(format!("report.json: {e}")))?;
        let size = csv.len();
        let results = [
            document.to_json().into_bytes(),
            csv,
            metrics,
            links,
            data,
            render(page).into_bytes(),
        ];
        let names = RESULTS.iter().filter(|name| **name != RESOLVED);
        let drafts = names.zip(results);
        let drafts = drafts.map(|(name, bytes)| self.draft(name, &bytes));
        Ok((drafts.collect::<Result<_, _>>()?, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_older_run_left_goes_and_a_device_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("o.json"), "old").expect("it can be written");
        std::os::unix::fs::symlink("/dev/null", at("null")).expect("a link");
        for name in ["o.json", "null", "new.json"] {
            let file = prepare_file(&at(name)).expect("it can be written");
            file.remove_old();
        }
        assert!(!at("o.json").exists() && at("null").exists());
    }

    #[test]
    fn what_a_link_leads_to_is_written_and_the_link_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str| prepare_file(&at(name)).and_then(|file| file.write(b"new"));
        fs::write(at("there.json"), "old").expect("it can be written");
        for (link, to) in [
            ("link", "there.json"),
            ("chain", "link"),
            ("dangling", "none"),
            ("null", "/dev/null"),
        ] {
            std::os::unix::fs::symlink(to, at(link)).expect("a link");
            write(link).unwrap_or_else(|e| panic!("{link}: {e}"));
            assert!(at(link).is_symlink(), "{link}");
        }
        for file in ["there.json", "none"] {
            let text = fs::read_to_string(at(file)).expect("it was written");
            assert_eq!((text.as_str(), at(file).is_symlink()), ("new", false));
        }
        std::os::unix::fs::symlink("circle", at("circle")).expect("a link");
        let said = write("circle").expect_err("it leads nowhere").to_string();
        assert!(said.contains("circle"), "{said}");
    }

    #[test]
    fn two_results_do_not_go_to_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("q.out", at("link")).expect("a link");
        let first = prepare_file(&at("q.out")).expect("it can be written");
        for again in [
            at("q.out"),
            at("link"),
            folder.path().join(".").join("q.out"),
        ] {
            let said = prepare_file(&again).err().expect("it is the same");
            assert!(said.is_usage() && said.to_string().contains("another result"));
        }
        drop(first);
        prepare_file(&at("link")).expect("it is free again");
        let null = || prepare_file(Path::new("/dev/null")).expect("it takes all");
        drop((null(), null()));
    }

    #[test]
    fn drafts_of_killed_processes_go_and_those_of_others_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["o.json.4711.part", "o.json.x.part", "p.json.4711.part"] {
            fs::write(at(name), "half").expect("it can be written");
        }
        let other = prepare_file(&at("p.json")).expect("it can be written");
        let first = prepare_file(&at("o.json")).expect("it can be written");
        let stays = [&first, &other].map(|pending| {
            let draft = pending.draft.as_ref();
            draft.expect("it is a file").path.clone()
        });
        sweep(&at("o.json"));
        sweep(&at("p.json"));
        let mut left: Vec<PathBuf> = fs::read_dir(folder.path())
            .expect("it is there")
            .map(|entry| entry.expect("readable").path())
            .collect();
        left.sort();
        let [own, others] = stays;
        // Process numbers have digits alone.
        assert_eq!(left, [own, at("o.json.x.part"), others]);
    }
}
