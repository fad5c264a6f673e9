import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** How wide a box is now (whole pixels), 0 before it was measured. */
export function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = box
    if (current === null) return
    const watch = new ResizeObserver(() => setWidth(Math.floor(current.clientWidth)))
    watch.observe(current)
    return () => watch.disconnect()
  }, [box])
  return width
}
