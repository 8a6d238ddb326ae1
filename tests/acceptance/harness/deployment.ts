/** The kinds of deployment that the suite runs on: a data folder, or servers. `DEPLOYMENT` selects one. */
export const KINDS = ['embedded', 'postgres-redis', 'postgres-cluster', 'citus-redis'] as const
export type Kind = (typeof KINDS)[number]

export const KIND = readKind(process.env.DEPLOYMENT ?? 'embedded')
export const isEmbedded = KIND === 'embedded'

/** For tests of features that only a data folder has. */
export const embeddedOnly = { skip: isEmbedded ? false : 'it is about data folders' }

/** The place where one Fleetgate stores its data. */
export type Deployment = {
  /** Options that point every command at it. */
  args: string[]
  /** Additional options of `serve`. */
  serveArgs: string[]
  /** The data folder of an embedded deployment. */
  folder: string | undefined
  /** The database of a deployment on servers. */
  database: string | undefined
}

export function inFolder(folder: string): Deployment {
  return { args: ['--data', folder], serveArgs: [], folder, database: undefined }
}

function readKind(name: string): Kind {
  const kind = KINDS.find((each) => each === name)
  if (kind === undefined) throw new Error(`DEPLOYMENT is ${KINDS.join(', ')}, not '${name}'`)
  return kind
}
