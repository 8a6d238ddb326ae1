import { writeFileSync } from 'node:fs'
import { pmtilesOf } from './pmtiles.ts'
import { cityTiles } from './tiles.ts'

/** Writes the streets of the demo as a PMTiles file in the layers of the Protomaps basemap. */
writeFileSync(
  new URL('../../packages/server/assets/demo-streets.pmtiles', import.meta.url),
  pmtilesOf(cityTiles(), {
    name: 'Streets of the demo',
    attribution: 'Simulated streets',
    vector_layers: ['earth', 'landuse', 'water', 'buildings', 'roads', 'places', 'pois'].map(
      (id) => ({ id, fields: { kind: 'String', name: 'String', min_zoom: 'Number' } }),
    ),
  }),
)
