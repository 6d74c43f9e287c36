//! Where the names of policy maps and class maps of a device lead.

use super::{Class, ClassMap, Device, Interface, Match, PolicyMap, Stated};
use crate::platform::Platform;
use crate::source::Place;

impl Device {
    /// The policy map of this name.
    pub(crate) fn policy(&self, name: &str) -> Option<&PolicyMap> {
        self.policy_maps.iter().find(|p| p.name == name)
    }

    /// The policy maps that `system qos` names and nothing defines; NX-OS brings those whose names say `default`.
    pub(crate) fn system_lacks(&self) -> impl Iterator<Item = &Stated<String>> {
        let own = self.of_system.iter();
        let own = own.filter(|s| !s.value.contains("default"));
        own.filter(move |s| self.policy(&s.value).is_none())
    }

    /// Whether an interface uses a policy map, itself or as a part of one it uses.
    pub(crate) fn applies(&self, interface: &Interface, map: &PolicyMap) -> bool {
        let mut names: Vec<&str> = Vec::new();
        names.extend(interface.services.iter().map(|s| s.value.policy.as_str()));
        let mut at = 0;
        while let Some(name) = names.get(at).copied() {
            let parts = self.policy(name).into_iter().flat_map(|p| &p.classes);
            for part in parts.filter_map(|c| c.service.as_ref()) {
                if !names.contains(&part.value.as_str()) {
                    names.push(&part.value);
                }
            }
            at += 1;
        }
        names.contains(&map.name.as_str())
    }

    /// The class map of this name.
    pub(crate) fn class(&self, name: &str) -> Option<&ClassMap> {
        self.class_maps.iter().find(|m| m.name == name)
    }

    /// Whether nobody defines a policy's class.
    pub(crate) fn lacks(&self, class: &Class) -> bool {
        let given = class.name == "class-default" || self.given_classes.contains(&class.name);
        !given && self.class(&class.name).is_none()
    }

    /// Whether a class map is one that NX-OS shows of its own accord.
    pub(crate) fn is_given(&self, map: &ClassMap) -> bool {
        self.platform == Platform::NxOs && map.name.starts_with("class-")
    }

    /// Whether any policy has a class of this class map, or another class map has it.
    pub(crate) fn uses(&self, map: &ClassMap) -> bool {
        let mut classes = self.policy_maps.iter().flat_map(|p| &p.classes);
        classes.any(|c| c.name == map.name) || self.nested().any(|(_, name, _)| name == map.name)
    }

    /// The class maps that class maps match: the outer one, the name of the inner one, and where that is stated.
    pub(crate) fn nested(&self) -> impl Iterator<Item = (&ClassMap, &str, &Place)> {
        let all = self
            .class_maps
            .iter()
            .flat_map(|c| c.matches.iter().map(move |m| (c, m)));
        all.filter_map(|(map, stated)| match &stated.value {
            Match::Class(name) => Some((map, name.as_str(), &stated.place)),
            _ => None,
        })
    }
}
