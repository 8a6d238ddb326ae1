import type { FleetObject } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Empty } from '../ui/state/Empty.tsx'

export function NeverSent({ object: { ident } }: { object: FleetObject }) {
  return (
    <Empty title={t('Waiting for the first packet')}>
      <Phrase
        text="No packet with the ident <code>{{ident}}</code> has arrived yet."
        values={{ ident }}
        parts={{ code: <code /> }}
      />
    </Empty>
  )
}
