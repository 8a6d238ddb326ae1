import type { Command } from 'commander'
import { isInForce } from '../../../domain/access-credential.ts'
import type { Account } from '../../../domain/account.ts'
import { writtenInstant } from '../../../operator/schema.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, onStore, option } from '../../command.ts'
import { listing } from '../../terminal/listing.ts'
import { id } from '../../value.ts'

type Options = { end?: number; endAll?: boolean }

/** The sessions of a person, whom `personOf` finds. */
export function sessionsCommand(
  personOf: (store: Store, person: string) => Promise<Account>,
): Command {
  async function sessions(store: Store, options: Options, person: string): Promise<CommandResult> {
    const { id: account } = await personOf(store, person)
    const open = await openSessions(store, account)
    if (options.endAll === true) await store.access.endSessions(account, null)
    else if (options.end !== undefined) {
      if (!open.some((each) => each.id === options.end)) {
        throw new Error(`this person has no session ${options.end}`)
      }
      await store.access.revoke('session', options.end)
    }
    return listing(await openSessions(store, account), [
      'id',
      'browser',
      'created_at',
      'last_used_at',
      'expires_at',
    ])
  }

  return command('sessions', 'list the open sessions of a person, or end them at once', [
    'people sessions ada@example.com',
    'people sessions ada@example.com --end 7',
    'people sessions ada@example.com --end-all',
  ])
    .addOption(option('--end <session>', 'end this session, by its id').argParser(id))
    .addOption(option('--end-all', 'end all of them'))
    .action(onStore(sessions))
}

async function openSessions({ access }: Store, account: number) {
  const now = Date.now()
  const all = await access.list('session')
  return all
    .filter((each) => each.credential.account === account && isInForce(each, now))
    .map(({ credential: { id, name, createdAt, lastUsedAt, expiresAt } }) => ({
      id,
      browser: name,
      created_at: writtenInstant(createdAt),
      last_used_at: writtenInstant(lastUsedAt),
      expires_at: writtenInstant(expiresAt),
    }))
}
