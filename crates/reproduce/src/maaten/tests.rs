//! The grids are those of the paper.

use super::TECHNIQUES;
use super::techniques::Steps;
use crate::published;
use lowland::compare::Cell;
use lowland::parameters::Value;

#[test]
fn every_column_is_a_technique_and_every_cell_a_method() {
    let tables = published::maaten().unwrap();
    let names: Vec<&str> = TECHNIQUES.iter().map(|t| t.column).collect();
    assert_eq!(tables.columns[1..], names);
    for technique in TECHNIQUES {
        let Some(method) = technique.registered() else { continue };
        for (at, reading) in technique.readings.iter().enumerate() {
            for d in [1, 2, 5, 20] {
                let cells = reading.cells(method, d, 100, Steps::All);
                assert!(at > 0 || !cells.is_empty(), "{}", technique.column);
                for cell in cells {
                    cell.method(d).unwrap_or_else(|e| panic!("{cell}: {e}"));
                }
            }
        }
    }
}

#[test]
fn the_grid_is_that_of_table_two() {
    let of = |column: &str, reading: usize, d: usize| {
        let technique = TECHNIQUES.iter().find(|t| t.column == column).unwrap();
        technique.readings[reading].cells(technique.registered().unwrap(), d, 784, Steps::All)
    };
    assert_eq!(of("PCA", 0, 2).len(), 1);
    assert_eq!(of("Isomap", 0, 2).len(), 11);
    assert_eq!(of("DM", 0, 2).len(), 4);
    let coarse = TECHNIQUES[1].readings[0].cells("isomap", 2, 784, Steps::Three);
    let neighbors: Vec<&Value> = coarse.iter().map(|cell| &cell.settings["n_neighbors"]).collect();
    assert_eq!(neighbors, [&Value::Integer(5), &Value::Integer(10), &Value::Integer(15)]);
    // Fifteen neighbors suffice for Hessians in four dimensions, and for tangents in thirteen.
    let most = |cells: Vec<Cell>| {
        let of = |cell: &Cell| match cell.settings.get("n_components") {
            Some(Value::Integer(d)) => *d,
            _ => 20,
        };
        cells.iter().map(of).max()
    };
    assert_eq!(most(of("HLLE", 0, 20)), Some(4));
    assert_eq!(most(of("LTSA", 0, 20)), Some(13));
    assert!(of("HLLE", 1, 20).is_empty());
    assert_eq!(of("HLLE", 1, 5)[0].settings["n_neighbors"], Value::Integer(21));
    assert_eq!(of("LTSA", 1, 20)[0].settings["n_neighbors"], Value::Integer(25));
}
