//! Numbers in JSON: a whole number is written without a decimal point, so that `580061234` stays
//! what it is in every reader; what is not finite becomes `null` and comes back as NaN.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One number, written as an integer when it is one.
#[derive(Clone, Copy)]
pub(crate) struct Number(pub(crate) f64);

/// Integers beyond this are not all representable: 2⁵³.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let v = self.0;
        if v.fract() == 0.0 && v.abs() <= EXACT {
            s.serialize_i64(v as i64)
        } else {
            s.serialize_f64(v)
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Number, D::Error> {
        Ok(Number(Option::<f64>::deserialize(d)?.unwrap_or(f64::NAN)))
    }
}

/// `Option<f64>`; absent, `null` and not finite are the same.
pub(crate) mod option {
    use super::{Deserialize, Deserializer, Number, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(v: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
        v.filter(|v| v.is_finite()).map(Number).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        Option::<f64>::deserialize(d)
    }
}

/// `Vec<f64>`.
pub(crate) mod list {
    use super::{Deserialize, Deserializer, Number, Serializer};

    pub(crate) fn serialize<S: Serializer>(v: &[f64], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(v.iter().copied().map(Number))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<f64>, D::Error> {
        Ok(Vec::<Number>::deserialize(d)?
            .into_iter()
            .map(|n| n.0)
            .collect())
    }
}

/// `BTreeMap<String, f64>`; entries that are not finite are left out: a metric is a number.
pub(crate) mod map {
    use super::{BTreeMap, Deserialize, Deserializer, Number, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        v: &BTreeMap<String, f64>,
        s: S,
    ) -> Result<S::Ok, S::Error> {
        s.collect_map(
            v.iter()
                .filter(|(_, v)| v.is_finite())
                .map(|(k, v)| (k, Number(*v))),
        )
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        d: D,
    ) -> Result<BTreeMap<String, f64>, D::Error> {
        BTreeMap::deserialize(d)
    }
}

/// One `f64`; what is not finite becomes `null` and comes back as NaN.
pub(crate) mod one {
    use super::{Deserialize, Deserializer, Number, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(v: &f64, s: S) -> Result<S::Ok, S::Error> {
        Number(*v).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
        Number::deserialize(d).map(|n| n.0)
    }
}
