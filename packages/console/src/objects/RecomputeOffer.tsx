import { change } from '../api/client.ts'
import type { FleetObject } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { Note } from '../ui/state/Note.tsx'
import { Problem } from '../ui/state/Problem.tsx'

type RecomputeOfferProps = { organization: number; object: FleetObject; onDone: () => void }

/** A setting applies to new packets; recompute to apply it to stored positions. */
export function RecomputeOffer({ organization, object, onDone }: RecomputeOfferProps) {
  const recompute = useSaving({
    request: () => change('POST', `/organizations/${organization}/objects/${object.id}/recompute`),
    refreshes: [['organization', organization]],
    done: t('Recomputing motion, trips and counters of {{name}}.', {
      name: object.name,
    }),
    onSaved: onDone,
  })
  return (
    <Note kind="warn" alert>
      <p>
        {t(
          'The new settings apply to new packets only. Recompute stored positions to update their motion, trips and counters as well. The server keeps running.',
        )}
      </p>
      <Problem error={recompute.error} />
      <div className="row">
        <Button look="primary" small busy={recompute.isPending} onClick={() => recompute.mutate()}>
          {t('Recompute stored positions')}
        </Button>
        <Button small onClick={onDone}>
          {t('Keep as is')}
        </Button>
      </div>
    </Note>
  )
}
