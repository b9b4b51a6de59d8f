function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function open() {
  const opening = indexedDB.open('menu', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('counters');
  return await done(opening);
}

/** Increments a counter in IndexedDB and returns the new value. */
export async function count(name) {
  const database = await open();
  const counters = database.transaction('counters', 'readwrite').objectStore('counters');
  const value = ((await done(counters.get(name))) ?? 0) + 1;
  await done(counters.put(value, name));
  database.close();
  return value;
}
