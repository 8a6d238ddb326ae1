/** On what the suite runs, by the environment's `DEPLOYMENT`: a data folder, or servers. */
export const KINDS = ['embedded', 'postgres-redis', 'postgres-cluster'] as const
export type Kind = (typeof KINDS)[number]

export const KIND = readKind(process.env.DEPLOYMENT ?? 'embedded')
export const isEmbedded = KIND === 'embedded'

/** For a test of what a data folder alone has. */
export const embeddedOnly = { skip: isEmbedded ? false : 'it is about data folders' }

/** Where one Fleetgate keeps what it keeps. */
export type Deployment = {
  /** What every command is given to find it. */
  args: string[]
  /** What `serve` is given besides. */
  serveArgs: string[]
  /** The data folder, where that is what it is. */
  folder: string | undefined
  /** The database, where that is what it is. */
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
