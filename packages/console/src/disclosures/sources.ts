import type { Disclosure } from '../api/types.ts'
import { t } from '../language/text.ts'

/** The kinds of readers. */
export const SOURCE_NAMES: Record<Disclosure['source'], string> = {
  key: t('API key'),
  link: t('Link'),
  webhook: t('Webhook'),
  person: t('Person'),
  token: t('Administration token'),
  command: t('Command line'),
}

/** The name of the reader: a deleted one has its number. */
export function readerOf({ source, source_id, source_name }: Disclosure): string {
  if (source === 'command') return SOURCE_NAMES.command
  return source_name ?? t('No. {{key}}', { key: `${source_id}` })
}
