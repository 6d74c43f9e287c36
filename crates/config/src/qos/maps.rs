//! The maps between CoS, IP precedence and DSCP.

use super::Stated;

/// A switch's four maps, each with its defaults until a statement changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maps {
    /// DSCP of each CoS; 8 times it unless stated.
    pub cos_dscp: [u8; 8],
    /// DSCP of each precedence; 8 times it unless stated.
    pub precedence_dscp: [u8; 8],
    /// CoS of each DSCP; its upper three bits unless stated.
    pub dscp_cos: [u8; 64],
    /// DSCP of traffic beyond a policer's rate; itself unless stated.
    pub policed_dscp: [u8; 64],
    /// The statements that changed them.
    pub stated: Vec<Stated<&'static str>>,
}

impl Default for Maps {
    fn default() -> Maps {
        Maps {
            cos_dscp: core::array::from_fn(|c| 8 * c as u8),
            precedence_dscp: core::array::from_fn(|p| 8 * p as u8),
            dscp_cos: core::array::from_fn(|d| d as u8 / 8),
            policed_dscp: core::array::from_fn(|d| d as u8),
            stated: Vec::new(),
        }
    }
}

impl Maps {
    /// The map of this name: the name, and the values.
    pub(crate) fn named(&mut self, name: &str) -> Option<(&'static str, &mut [u8])> {
        Some(match name {
            "cos-dscp" => ("cos-dscp", &mut self.cos_dscp),
            "ip-prec-dscp" => ("ip-prec-dscp", &mut self.precedence_dscp),
            "dscp-cos" => ("dscp-cos", &mut self.dscp_cos),
            "policed-dscp" => ("policed-dscp", &mut self.policed_dscp),
            _ => return None,
        })
    }
}
