import { readFile } from 'node:fs/promises'
import { UsageError } from './usage-error.ts'

/** One of the two. */
export type KeyOption = { value: string } | { file: string }

/** The command line wins over the environment. Throws a `UsageError`. */
export function keyOf(
  given: Record<string, string | boolean | undefined>,
  env: NodeJS.ProcessEnv,
): KeyOption {
  const { 'api-key': value, 'api-key-file': file } = given
  if (value !== undefined && file !== undefined) {
    throw new UsageError('use one of --api-key or --api-key-file')
  }
  if (value) return { value: String(value) }
  if (file) return { file: String(file) }
  const { FLEETGATE_API_KEY: inherited, FLEETGATE_API_KEY_FILE: inheritedFile } = env
  if (inherited) return { value: inherited }
  if (inheritedFile) return { file: inheritedFile }
  throw new UsageError(
    'an API key is required: set FLEETGATE_API_KEY, or --api-key-file (or FLEETGATE_API_KEY_FILE)',
  )
}

export async function readKey(key: KeyOption): Promise<string> {
  if ('value' in key) return key.value
  try {
    return (await readFile(key.file, 'utf8')).trim()
  } catch (error) {
    throw new Error(`the key cannot be read: ${(error as Error).message}`)
  }
}
