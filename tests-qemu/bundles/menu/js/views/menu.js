export async function show(view) {
  const dishes = await (await fetch('data/menu.json')).json();
  const list = document.createElement('ul');
  list.className = 'dishes';
  for (const { name, price } of dishes) {
    const item = document.createElement('li');
    const cost = document.createElement('b');
    cost.textContent = price.toFixed(2);
    item.append(name, cost);
    list.append(item);
  }
  view.replaceChildren(list);
}
