import { type FileAct, IMPORT_ACTS } from '../../../acts/import-acts.ts'
import type { previewDocument } from '../../../acts/import-bodies.ts'
import { Refused } from '../../../acts/refused.ts'
import { formatOfType, type ImportKind } from '../../../base/domain/import-formats.ts'
import { ITEM_TOPICS } from '../../../base/domain/item-rules.ts'
import { ImportMisuse } from '../../../work/import/row.ts'
import type { AdminOperation, Call } from '../admin-api.ts'
import { openUpload } from '../body.ts'

/*
 * The imports of files, whose options are parameters here.
 */

export const CATALOGUE_IMPORTS = ITEM_TOPICS.flatMap(operationsOf)
export const POSITION_IMPORTS = operationsOf('positions')

function operationsOf(kind: ImportKind): AdminOperation[] {
  const { run, preview } = IMPORT_ACTS[kind]
  return [
    { ...run, run: (call) => runOn(call, run) },
    { ...preview, run: async (call) => inParameters(await runOn(call, preview)) },
  ]
}

/** Runs an import of the body. What does not fit the file is a 400. */
async function runOn<Answer>(call: Call, act: FileAct<Answer>): Promise<Answer> {
  const { query, file, signal, contentType, api, onProgress } = call
  const source = openUpload(query.get('file') ?? 'file', file, signal)
  try {
    return await act.run({
      ...call,
      source,
      formatIn: (formats) => formatOfType(formats, contentType),
      distanceUnit: null,
      clock: api.clock,
      onProgress: (rows) => onProgress({ rows, bytes: source.bytesRead(), size: file.length }),
    })
  } catch (error) {
    if (!(error instanceof ImportMisuse)) throw error
    throw new Refused(400, 'invalid', withoutDashes(error.message), { field: 'file' })
  }
}

function inParameters(preview: ReturnType<typeof previewDocument>) {
  const { notes, problem } = preview
  return {
    ...preview,
    notes: notes.map(withoutDashes),
    problem: problem === null ? null : withoutDashes(problem),
  }
}

/** Options of the command line are parameters here. */
function withoutDashes(message: string): string {
  return message.replaceAll(/--([a-z]+(?:-[a-z]+)*)/g, (_, name: string) =>
    name.replaceAll('-', '_'),
  )
}
