import { writeFileSync } from 'node:fs'
import { demoMap } from './demo-map.ts'

/** Writes the streets of the demo into the server's assets. */
writeFileSync(new URL('../../../assets/demo-streets.pmtiles', import.meta.url), demoMap())
