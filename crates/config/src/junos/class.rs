//! `class-of-service`, read.

use super::model::{ClassOfService, Scheduler, SchedulerMap};
use super::read::{Reader, number, rate, text};
use super::tree::Id;

impl Reader<'_, '_> {
    pub(super) fn class_of_service(&mut self, id: Id) -> ClassOfService {
        let Some(top) = self.child(id, "class-of-service") else {
            return ClassOfService::default();
        };
        let mut read = ClassOfService::default();
        for class in self.all(top, &["forwarding-classes", "class"]) {
            let queue = self.value(class, "queue-num", queue, "a queue from 0 to 7");
            let name = self.stated(class, "class", text, "a name");
            read.classes.extend(name.zip(queue.map(|q| q.value)));
        }
        for number in self.all(top, &["forwarding-classes", "queue"]) {
            let queue = self.stated(number, "queue", queue, "a queue from 0 to 7");
            for class in self.all(number, &[]) {
                let name = self.stated(class, "queue", text, "a name");
                read.classes
                    .extend(name.zip(queue.as_ref().map(|q| q.value)));
            }
        }
        for scheduler in self.all(top, &["schedulers"]) {
            read.schedulers.extend(self.scheduler(scheduler));
        }
        for map in self.all(top, &["scheduler-maps"]) {
            let mut pairs = Vec::new();
            for class in self.all(map, &["forwarding-class"]) {
                let scheduler = self.value(class, "scheduler", text, "a scheduler's name");
                pairs.extend(scheduler.map(|s| (self.tree.node(class).word.to_owned(), s)));
            }
            let name = self.stated(map, "scheduler-maps", text, "a name");
            read.maps.extend(name.map(|name| SchedulerMap {
                name,
                schedulers: pairs,
            }));
        }
        for interface in self.all(top, &["interfaces"]) {
            let map = self.value(interface, "scheduler-map", text, "a scheduler map's name");
            let name = self.tree.node(interface).word;
            read.interfaces.extend(map.map(|m| (name.to_owned(), m)));
        }
        read
    }

    fn scheduler(&mut self, id: Id) -> Option<Scheduler> {
        let plain = self.all(id, &["transmit-rate"]);
        let keyword = |i: &&Id| {
            matches!(
                self.tree.node(**i).word,
                "percent" | "remainder" | "exact" | "rate-limit"
            )
        };
        let plain_rate = plain.iter().find(|i| !keyword(i)).copied();
        let transmit = self.child(id, "transmit-rate");
        let buffer = self.child(id, "buffer-size");
        let share = "a share in percent";
        let percent = |reader: &mut Self, of: Option<Id>| {
            of.and_then(|o| reader.child(o, "percent").map(|_| o))
                .and_then(|o| reader.value(o, "percent", number, share))
        };
        Some(Scheduler {
            name: self.stated(id, "schedulers", text, "a name")?,
            transmit_percent: percent(self, transmit),
            transmit_rate: plain_rate
                .and_then(|r| self.stated(r, "transmit-rate", rate, "a rate, `50m`")),
            buffer_percent: percent(self, buffer),
            priority: self.value(id, "priority", text, "a priority"),
        })
    }
}

fn queue(text: &str) -> Option<u8> {
    text.parse().ok().filter(|q| *q < 8)
}
