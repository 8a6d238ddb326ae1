import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exampleFiles } from './examples.ts'

/** Writes the files of the repository's `examples` folder. */
const folder = join(import.meta.dirname, '../examples')
for (const [name, text] of exampleFiles()) writeFileSync(join(folder, name), text)
