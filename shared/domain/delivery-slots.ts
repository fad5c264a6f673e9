/** Attempts that one process makes at once to one subscription: one that hangs holds no more of it. */
export const SLOTS_PER_SUBSCRIPTION = 4
/** And to one host, behind which several subscriptions may stand. */
export const SLOTS_PER_HOST = 8

/** Bounds what hangs: how many attempts may run at once in this process. */
export interface DeliverySlots {
  /** Takes a place. @returns what gives it back, or nothing when all are taken */
  take(subscription: string, host: string): (() => void) | undefined
}

/** The slots of a process. */
export function deliverySlots(
  perSubscription = SLOTS_PER_SUBSCRIPTION,
  perHost = SLOTS_PER_HOST,
): DeliverySlots {
  const taken = new Map<string, number>()
  const add = (name: string, by: number) => {
    const now = (taken.get(name) ?? 0) + by
    if (now === 0) taken.delete(name)
    else taken.set(name, now)
  }
  return {
    take(subscription, host) {
      const [one, all] = [`subscription ${subscription}`, `host ${host}`]
      if ((taken.get(one) ?? 0) >= perSubscription || (taken.get(all) ?? 0) >= perHost) return undefined
      add(one, 1)
      add(all, 1)
      let given = false
      return () => {
        if (given) return
        given = true
        add(one, -1)
        add(all, -1)
      }
    },
  }
}
