// Package arena is the other side of the wire: the game manager that holds
// matches, series and tournaments between players, in this process or behind
// endpoints. It owns match records and ratings. It must not know how a player
// thinks or searches.
package arena
