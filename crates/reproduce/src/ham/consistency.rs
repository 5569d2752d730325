//! Figure 5: kernel coefficients as points are added.

use super::{KERNELS, gram};
use crate::Context;
use crate::draw::{self, Series};
use crate::findings::{Claim, Figure, Section};
use crate::statistics::mean;
use lowland::{Result, data};
use ndarray::s;

/// The coefficients, as they are and normalized.
pub(super) fn section(context: &Context<'_>) -> Result<Section> {
    let sizes: Vec<usize> =
        if context.quick { vec![150, 250, 350] } else { (600..=3_000).step_by(300).collect() };
    let most = sizes.last().copied().unwrap_or(0);
    let sample = data::find("s-curve")?.sample(most, 0.0, context.run.seed())?;
    let pairs = [(0_usize, 1_usize), (2, 3), (4, 5), (6, 7), (8, 8)];
    let mut section = Section {
        title: "Figure 5: kernel coefficients as points are added".into(),
        text: vec![format!(
            "Five coefficients of each kernel for {} to {most} points of the S-curve, the first ones kept: as they are, and divided by \
             the mean of the diagonal.",
            sizes[0]
        )],
        ..Section::default()
    };
    let stage = context.run.stage("kernel coefficients", Some((3 * sizes.len()) as u64));
    for (kernel, name, _) in KERNELS {
        let (mut raw, mut rows): (Vec<Vec<f64>>, Vec<Vec<f64>>) = Default::default();
        for &m in &sizes {
            let key = format!("ham figure 5: {name}, {m} of {most}, and the mean of the diagonal");
            let found: (Vec<f64>, f64) = context.work.remember(&key, context.run, || {
                let gram = gram(kernel, sample.points.slice(s![..m, ..]), context.run)?;
                Ok((pairs.iter().map(|&pair| gram[pair]).collect(), gram.diag().sum() / m as f64))
            })?;
            rows.push(found.0.iter().map(|coefficient| coefficient / found.1).collect());
            raw.push(found.0);
            stage.advance(1)?;
        }
        for (coefficients, what, words) in
            [(&raw, "raw", "as they are"), (&rows, "normalized", "divided by the mean of the diagonal")]
        {
            let series: Vec<Series> = (0..pairs.len())
                .map(|c| Series {
                    name: format!("K({}, {})", pairs[c].0 + 1, pairs[c].1 + 1),
                    points: sizes.iter().zip(coefficients).map(|(&m, row)| [m as f64, row[c]]).collect(),
                    ..Series::default()
                })
                .collect();
            let file = format!("coefficients-{what}-{}.svg", name.to_lowercase().replace(' ', "-"));
            let title = format!("Coefficients of {name}'s kernel");
            let axes = ("points", "coefficient");
            let file = draw::curves(context, &file, (&title, words), axes, &series, None)?;
            section.figures.push(Figure { file, caption: format!("{title}, {words}.") });
        }
        // The mean change from one size to the next, in the first and in the second half.
        let changes: Vec<f64> = rows
            .windows(2)
            .map(|two| mean(&two[0].iter().zip(&two[1]).map(|(a, b)| (a - b).abs()).collect::<Vec<_>>()))
            .collect();
        let (early, late) = changes.split_at(changes.len().div_ceil(2));
        let (early, late) = (mean(early), mean(late));
        section.claims.push(Claim::new(
            "figure 5",
            &format!("{name}: the fluctuations of the normalized coefficients decrease with more points"),
            format!("their mean change from one size to the next is {early:.4} in the first half and {late:.4} in the second"),
            if changes.len() < 4 { None } else { Some(late < early) },
        ));
    }
    Ok(section)
}
