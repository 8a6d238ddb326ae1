import { pmtilesOf } from './pmtiles.ts'
import { cityTiles } from './tiles.ts'

/** The streets of the demo as a PMTiles file in the layers of the Protomaps basemap. */
export function demoMap(): Buffer {
  return pmtilesOf(cityTiles(), {
    name: 'Streets of the demo',
    attribution: 'Simulated streets',
    vector_layers: ['earth', 'landuse', 'water', 'buildings', 'roads', 'places', 'pois'].map(
      (id) => ({ id, fields: { kind: 'String', name: 'String', min_zoom: 'Number' } }),
    ),
  })
}
