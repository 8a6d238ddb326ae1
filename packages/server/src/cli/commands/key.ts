import type { Command } from 'commander'
import { API_KEY } from '../../access/secret.ts'
import { credentialCommands } from './credentials.ts'

export function keyCommands(): Command {
  return credentialCommands({
    name: 'key',
    noun: 'key',
    description: "API keys: what opens an organization's data",
    secret: API_KEY,
    store: (store) => store.keys,
  })
}
