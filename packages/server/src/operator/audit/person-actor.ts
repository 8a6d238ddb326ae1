import type { Account } from '../../domain/account.ts'

/** A person as the audit log names who did something: the id stays, name and address may change. */
export function personActor({ id, name, email }: Pick<Account, 'id' | 'name' | 'email'>): string {
  return `person ${id} ${name} <${email}>`
}
