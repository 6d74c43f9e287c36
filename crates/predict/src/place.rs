//! Places on the Earth, and how far apart they are.

use core::fmt;
use core::str::FromStr;

use farpath_units::Distance;

/// Mean radius of the Earth in metres, R1 of IUGG's GRS 80 (Moritz, Journal of Geodesy 74, 2000).
const RADIUS_M: f64 = 6_371_008.771_4;

/// A place by latitude and longitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Degrees north of the equator, -90 to 90.
    latitude: f64,
    /// Degrees east of Greenwich, -180 to 180.
    longitude: f64,
}

impl Place {
    /// The distance along the surface of a sphere, in whole metres: the haversine formula (Sinnott, Sky and
    /// Telescope 68(2), 1984). The Earth's flattening makes up to 0.56 % of difference.
    pub fn distance_to(self, other: Place) -> Distance {
        let half_sine = |a: f64, b: f64| {
            let sine = libm::sin((b - a).to_radians() / 2.0);
            sine * sine
        };
        let [here, there] = [self, other].map(|p| libm::cos(p.latitude.to_radians()));
        let chord = half_sine(self.latitude, other.latitude)
            + here * there * half_sine(self.longitude, other.longitude);
        let m = 2.0 * RADIUS_M * libm::asin(libm::sqrt(chord.min(1.0)));
        Distance::from_m(libm::round(m) as u64)
    }
}

/// The text is not a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a place: write latitude and longitude in degrees, north and east positive, such as `46.23,6.05`"
)]
pub struct UnknownPlace(String);

impl FromStr for Place {
    type Err = UnknownPlace;

    /// Reads `46.23,6.05`.
    fn from_str(text: &str) -> Result<Place, UnknownPlace> {
        let within = |degrees: &str, most: f64| {
            let read: f64 = degrees.trim().parse().ok()?;
            (read.abs() <= most).then_some(read)
        };
        let place = text.split_once(',').and_then(|(latitude, longitude)| {
            Some(Place {
                latitude: within(latitude, 90.0)?,
                longitude: within(longitude, 180.0)?,
            })
        });
        place.ok_or_else(|| UnknownPlace(text.chars().take(40).collect()))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.latitude, self.longitude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(a: &str, b: &str) -> u64 {
        let [a, b] = [a, b].map(|text| text.parse::<Place>().unwrap());
        assert_eq!(a.distance_to(b), b.distance_to(a));
        a.distance_to(b).as_m()
    }

    #[test]
    fn a_degree_a_quarter_and_half_of_the_sphere() {
        let degree = RADIUS_M.to_radians();
        assert_eq!(apart("0,0", "0,1"), degree.round() as u64);
        assert_eq!(apart("0,0", "1,0"), degree.round() as u64);
        assert_eq!(apart("90,0", "0,77"), (90.0 * degree).round() as u64);
        assert_eq!(apart("0,180", "0,0"), (180.0 * degree).round() as u64);
        assert_eq!(apart("12.5,-7", "12.5,-7"), 0);
        // Across the date line.
        assert_eq!(apart("0,179.5", "0,-179.5"), degree.round() as u64);
    }

    #[test]
    fn paris_and_washington_are_as_far_apart_as_in_the_book() {
        // Meeus, Astronomical Algorithms, 2nd edition, example 11.c: 6181.63 km on the ellipsoid and 6166 km on a sphere of
        // 6371 km, from 48°50'11" N 2°20'14" E to 38°55'17" N 77°03'56" W.
        let m = apart("48.836389,2.337222", "38.921389,-77.065556");
        assert!(m.abs_diff(6_166_000) < 1_000, "{m}");
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in ["", "46", "46;6", "91,0", "0,181", "nan,0", "46,6,7", "x,y"] {
            assert!(text.parse::<Place>().is_err(), "{text}");
        }
        assert_eq!(
            "46.23, 6.05".parse::<Place>().unwrap().to_string(),
            "46.23,6.05"
        );
    }
}
