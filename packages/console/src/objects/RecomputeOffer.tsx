import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { FleetObject } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Problem } from '../ui/state/Problem.tsx'

type RecomputeOfferProps = { organization: number; object: FleetObject; onDone: () => void }

/** A setting applies to new packets; recompute to apply it to stored positions. */
export function RecomputeOffer({ organization, object, onDone }: RecomputeOfferProps) {
  const client = useQueryClient()
  const recompute = useMutation({
    mutationFn: () =>
      change('POST', `/organizations/${organization}/objects/${object.id}/recompute`),
    onSuccess: async () => {
      onDone()
      toast(
        t('Motion, trips and counters of {{name}} are being recalculated.', { name: object.name }),
      )
      await client.invalidateQueries({ queryKey: ['organization', organization] })
    },
  })
  return (
    <Note kind="warn" alert>
      <p>
        {t(
          'The new settings apply to new packets. Recompute to apply them to the motion, trips and counters of stored positions. The server keeps running.',
        )}
      </p>
      <Problem error={recompute.error} />
      <div className="row">
        <Button look="primary" small busy={recompute.isPending} onClick={() => recompute.mutate()}>
          {t('Recompute stored positions')}
        </Button>
        <Button small onClick={onDone}>
          {t('Leave them as they are')}
        </Button>
      </div>
    </Note>
  )
}
