import type { Command } from 'commander'
import { resetOperator } from '../admin/open-admin-api.ts'
import type { Store } from '../store/store.ts'
import { type Answer, command, group, onStore, option } from './command.ts'
import { confirm, yesOption } from './confirmation.ts'
import { consoleUrlOption } from './console-options.ts'
import { linkOf } from './greeting.ts'

/** Where `serve` has the console if it is told nothing else. */
const CONSOLE_URL = 'http://127.0.0.1:7072'

export function operatorCommands(): Command {
  return group('operator', 'the operator: who comes into the console', [
    command('reset', 'forget the password and end all sessions; prints a link to set another', [
      'operator reset',
      'operator reset --yes --console-url https://console.example.com',
      'operator reset --tokens',
    ])
      .addOption(option('--tokens', 'end the tokens of programs, too: somebody may have got in'))
      .addOption(consoleUrlOption())
      .addOption(yesOption())
      .action(onStore(reset)),
  ])
}

async function reset(
  store: Store,
  options: { consoleUrl?: string; tokens?: boolean; yes?: boolean },
): Promise<Answer> {
  const tokens = options.tokens === true ? await store.operator.list('token') : []
  if ((await store.operator.password()) !== null || tokens.length > 0) {
    const more = tokens.length === 0 ? '' : `, and ${tokens.length} of its tokens`
    await confirm(
      `this forgets the password of the console and ends all its sessions${more}`,
      options,
    )
  }
  const withTokens = options.tokens === true
  const { secret: setup, ended } = await resetOperator(store, withTokens, Date.now())
  const link = linkOf({ url: options.consoleUrl ?? CONSOLE_URL, setup })
  const elsewhere =
    options.consoleUrl === undefined
      ? `\n\nA server whose console is not at ${CONSOLE_URL} takes what follows there: /setup#…`
      : ''
  return {
    json: { setup: link, tokens_ended: ended.length },
    text: `Open this link to set a password; it works once:\n\n  ${link}${elsewhere}`,
  }
}
