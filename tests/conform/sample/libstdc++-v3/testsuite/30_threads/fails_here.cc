// { dg-do run }
int main() { return 3; }
