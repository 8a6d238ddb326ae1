import { type ReactNode, Suspense, useEffect } from 'react'
import { t } from '../../language/text.ts'
import { toast } from '../toast/Toast.tsx'
import { LoadFailure } from './LoadFailure.tsx'

type LateProps = { children: ReactNode; fallback?: ReactNode; onFailed?: () => void }

/** A dialog or a menu that is loaded when it is opened. The page stays if that fails, with all that was typed. */
export function Late({ children, fallback, onFailed }: LateProps) {
  return (
    <LoadFailure failed={<NotLoaded onFailed={onFailed}>{fallback}</NotLoaded>}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </LoadFailure>
  )
}

function NotLoaded({ children, onFailed }: Pick<LateProps, 'onFailed'> & { children: ReactNode }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it has failed
  useEffect(() => {
    toast(t('This part could not be loaded. Reload the page.'))
    onFailed?.()
  }, [])
  return children
}
